import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// Echoes on a port until the process is killed, on the controllable endpoint.
enum BenchServer {
    static func run(port: UInt16) async -> CommandEnd {
        let loop = EventLoop.shared
        let holder = EndpointHolder()
        let listener: TCPListener
        do throws(ListenFailure) {
            listener = try TCPListener.listen(port: port, on: loop) { channel in
                holder.endpoint(on: loop).accept(channel)
                channel.start()
            }
        } catch {
            return .failed("\(error)")
        }
        try? await Task.sleep(for: .seconds(365 * 86_400))
        listener.close()
        return .done
    }
}

/// Makes the endpoint when the first connection comes, on the loop.
private final class EndpointHolder: @unchecked Sendable {
    private var made: Endpoint?

    func endpoint(on loop: EventLoop) -> Endpoint {
        if let made { return made }
        let endpoint = Endpoint(executor: loop, random: SystemRandomSource())
        made = endpoint
        return endpoint
    }
}
