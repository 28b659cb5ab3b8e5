import HeartwireSocket
import HeartwireURLSession
import Testing

@testable import Heartwire

@Suite("Transports by name")
struct TransportFactoryStandardTests {
    @Test("T2, T3: sockets are the default but on Apple, and one line switches")
    func switched() {
        var settings = ClientConfiguration()
        #if canImport(Darwin)
            #expect(settings.transport is URLSessionTransportFactory)
        #else
            #expect(settings.transport is SocketTransportFactory)
        #endif
        settings.transport = .urlSession()
        #expect(settings.transport is URLSessionTransportFactory)
        #expect(settings.transport.executor === DispatchExecutor.shared)
        settings.transport = .sockets
        #expect(settings.transport is SocketTransportFactory)
        #expect(settings.transport.executor === EventLoop.shared)
    }

    @Test("T3: a client's actor lives on the queue of its transport")
    func domain() async throws {
        let client = try WebSocketClient("ws://127.0.0.1:1/") {
            $0.transport = .urlSession()
            $0.reconnect = nil
        }
        await client.connect()
        await #expect(throws: SessionStopped.self) { try await client.waitUntilOpen() }
        #expect(await client.isolated { _ in DispatchExecutor.shared.isCurrent })
    }
}

extension WebSocketClient {
    fileprivate func isolated<T: Sendable>(_ body: @Sendable (isolated WebSocketClient) -> T) -> T {
        body(self)
    }
}
