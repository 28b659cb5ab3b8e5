import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import HeartwireCLI

/// Real time, real sockets: the public client against the endpoint.
@Suite struct AutobahnClientTests {
    private func visit(
        _ query: String, _ mode: AutobahnCommand.Mode, limit: Duration = .seconds(120)
    ) async throws -> (AutobahnVisit, EndpointCounters) {
        let loop = EventLoop(name: "autobahn-test")
        let endpoint = Endpoint(executor: loop, random: SystemRandomSource())
        let listener = try TCPListener.listen(port: 0, on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        defer { listener.close() }
        let visit = try await AutobahnClient.visit(
            "ws://127.0.0.1:\(listener.port)/\(query)", mode, limit: limit)
        let counters = await withHandover { handover in
            loop.execute { handover.resume(returning: endpoint.counters) }
        }
        return (visit, counters)
    }

    @Test("What is collected is kept in order, up to the server's Close")
    func collect() async throws {
        let (visit, counters) = try await visit("?hello=3x2&close=1000", .collect)
        #expect(visit.messages == [.text("hh"), .text("hh"), .text("hh")])
        #expect(visit.cause == .closedByPeer(PeerClose(code: 1000)))
        #expect(counters.messages == 0)
    }

    @Test("What is echoed goes back, and nothing of the client's own with it")
    func echo() async throws {
        let (visit, counters) = try await visit("?hello=5x2&echo=off&close=1000@100", .echo)
        #expect(visit.messages.isEmpty)
        #expect(counters.messages == 5)
        #expect(counters.messageBytes == 10)
        #expect(counters.pings == 0)
    }

    @Test("A case that does not end is given up after its time")
    func limit() async throws {
        let (visit, _) = try await visit("", .echo, limit: .milliseconds(50))
        #expect(visit.cause == .closedByApp(sent: 1000, answer: PeerClose(code: 1000)))
    }

    @Test("A server that is not there is a cause, not an error; a URL that is none is an error")
    func unreachable() async throws {
        let loop = EventLoop(name: "autobahn-test")
        let listener = try TCPListener.listen(port: 0, on: loop) { _ in }
        let port = listener.port
        listener.close()
        let visit = try await AutobahnClient.visit(
            "ws://127.0.0.1:\(port)/", .collect, limit: .seconds(120))
        #expect(visit.cause?.kind == .connectFailed)
        await #expect(throws: WebSocketURLError.self) {
            try await AutobahnClient.visit("http://h/", .collect, limit: .seconds(1))
        }
    }
}
