import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("Listening", .timeLimit(.minutes(1)))
struct TCPListenerTests {
    @Test("Port 0 picks a free port, and a second listener on it is told that it is in use")
    func busyPort() async throws {
        let loop = EventLoop(name: "test")
        let listener = try TCPListener.listen(on: loop) { _ in }
        #expect(listener.port != 0)
        #expect {
            _ = try TCPListener.listen(port: listener.port, on: loop) { _ in }
        } throws: { error in
            "\(error)".contains("port \(listener.port) on 127.0.0.1 is in use")
        }
        listener.close()
        loop.shutdown()
    }

    @Test(
        "A host that is no numeric address of this machine is refused in words",
        arguments: ["localhost", "192.0.2.1", ""])
    func wrongHost(_ host: String) {
        let loop = EventLoop(name: "test")
        #expect(throws: ListenFailure.self) {
            _ = try TCPListener.listen(host: host, on: loop) { _ in }
        }
        loop.shutdown()
    }

    @Test("IPv6 is listened on and connected to")
    func ipv6() async throws {
        let loop = EventLoop(name: "test")
        let accepted = Log<Int>()
        let listener = try TCPListener.listen(host: "::1", on: loop) { channel in
            accepted.add(1)
            channel.abort(reset: false)
        }
        let handler = RecordingHandler()
        let port = listener.port
        try await on(loop) {
            let channel = TCPChannel(connectingOn: loop, handler: handler)
            handler.onBytes = { _ in _ = channel }
            channel.connect(to: "::1", port: port)
        }
        await accepted.wait { !$0.isEmpty }
        await handler.log.wait { $0.contains(.connected) }
        listener.close()
        loop.shutdown()
    }
}
