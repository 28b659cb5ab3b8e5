import HeartwireSocket
import HeartwireURLSession
import Synchronization
import Testing

@testable import Heartwire

/// What an app sees on watchOS, on any platform: the decision is a value, and the platform's is one of two.
@Suite("Where the platform lets some apps only")
struct ForbiddenNetworkingTests {
    private static let forbidden = StopCause.refusedToRetry(
        .connectFailed(ConnectionFailure(.forbidden)))

    private func transports(
        _ networking: LowLevelNetworking
    ) -> [any TransportFactory] {
        var options = URLSessionOptions()
        options.networking = networking
        return [
            URLSessionTransportFactory(executor: .shared, options: options, isRestricted: true),
            SocketTransportFactory(loop: .shared, networking: networking, isRestricted: true),
        ]
    }

    @Test(
        "T3: an app that is none of those stops when it begins to connect, and tries no second time"
    )
    func refused() async throws {
        for transport in transports(.whereAllowedToAll) {
            let attempts = Attempts()
            let client = try WebSocketClient("ws://127.0.0.1:1/") {
                $0.transport = transport
                $0.journal = { if $0.kind == .closed { attempts.add() } }
            }
            await client.connect()
            let stopped = await #expect(throws: SessionStopped.self) {
                try await client.waitUntilOpen()
            }
            #expect(stopped?.cause == Self.forbidden)
            #expect("\(Self.forbidden)".contains("LowLevelNetworking"))
            #expect(await client.state == .stopped(Self.forbidden))
            #expect(attempts.count == 1)
        }
    }

    @Test("T3: an app that says that it is one of those gets as far as the network")
    func permitted() async throws {
        for transport in transports(.allowedToThisApp) {
            let client = try WebSocketClient("ws://127.0.0.1:1/") {
                $0.transport = transport
                $0.reconnect = nil
            }
            await client.connect()
            let stopped = await #expect(throws: SessionStopped.self) {
                try await client.waitUntilOpen()
            }
            #expect(stopped != nil && stopped?.cause != Self.forbidden)
        }
    }

    @Test("T3: both transports are made for everybody's platform unless told otherwise")
    func defaults() {
        #expect(URLSessionOptions().networking == .whereAllowedToAll)
        #expect(!LowLevelNetworking.isRestricted)
    }

    private final class Attempts: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .relaxed) }

        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }
}
