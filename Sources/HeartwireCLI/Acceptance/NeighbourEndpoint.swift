import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting

/// An endpoint inside the command for clients whose connections live in another domain than sockets do: they
/// reach it by its port alone.
struct NeighbourEndpoint {
    private let loop = EventLoop(name: "endpoint")
    private let endpoint: Endpoint
    private let listener: TCPListener

    /// Listens, and sends the clients of `place` there; `nil` where they share their endpoint's domain, or have another.
    ///
    /// - Throws: `ListenFailure` when no port can be had.
    init?(for place: inout ScenarioPlace) throws(ListenFailure) {
        guard place.transport != .socket, place.server == .embedded else { return nil }
        let endpoint = Endpoint(
            executor: loop, random: SystemRandomSource(), behaviour: place.sabotage.behaviour)
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        // A URL of numbers, which is always lawful.
        guard let url = try? WebSocketURL("ws://127.0.0.1:\(listener.port)/") else { return nil }
        place.server = .endpoint(url: url)
    }

    /// Drops what is connected and listens no more.
    func stop() {
        loop.execute { [loop, endpoint, listener] in
            listener.close()
            endpoint.dropAll()
            loop.shutdown()
        }
    }
}
