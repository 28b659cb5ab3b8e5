import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("Connecting over TCP", .timeLimit(.minutes(1)))
struct TCPConnectorTests {
    /// A resolver that writes down what it is asked for, and answers with fixed addresses.
    private final class Stub: Sendable {
        let names = Log<String>()
        let answer: Resolver.Answer

        init(_ answer: Resolver.Answer) {
            self.answer = answer
        }

        @Sendable func resolve(
            _ name: String, _ port: UInt16, _ loop: EventLoop,
            _ completion: @escaping @Sendable (Resolver.Answer) -> Void
        ) {
            names.add(name)
            let answer = answer
            loop.execute { completion(answer) }
        }
    }

    private func connect(_ url: WebSocketURL, _ stub: Stub) async throws -> [ChannelReport] {
        let loop = EventLoop(name: "connector")
        let handler = RecordingHandler()
        loop.execute {
            let connector = TCPConnector(loop: loop, resolve: stub.resolve)
            _ = connector.connect(to: url, handler: handler)
        }
        let reports = await handler.log.wait { !$0.isEmpty }
        loop.shutdown()
        return reports
    }

    @Test("K05-20: the resolver is asked for the name in ASCII, with its trailing dot")
    func names() async throws {
        for (host, asked) in [
            ("bücher.localhost.", "xn--bcher-kva.localhost."),
            ("xn--bcher-kva.localhost", "xn--bcher-kva.localhost"), ("[::1]", "::1"),
        ] {
            let port = try Listening()
            let stub = Stub(.success([port.address]))
            let url = try WebSocketURL("ws://\(host):\(port.address.port)/")
            #expect(try await connect(url, stub) == [.connected])
            #expect(stub.names.entries == [asked])
        }
    }

    @Test("K11-11: behind a black hole the second address opens")
    func blackHole() async throws {
        let (hole, port) = (try BlackHole(), try Listening())
        let stub = Stub(.success([hole.address, port.address]))
        #expect(try await connect(try WebSocketURL("ws://h/"), stub) == [.connected])
    }

    @Test("A name that does not resolve is the failure of the attempt")
    func unresolved() async throws {
        let stub = Stub(.failure(ConnectionFailure(.resolution, systemCode: -2)))
        #expect(try await connect(try WebSocketURL("ws://h/"), stub) == [.failed(.resolution)])
    }
}
