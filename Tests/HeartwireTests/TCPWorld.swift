import Foundation
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// Clients and an endpoint on a real loop over loopback, driven by tasks that are not on it.
final class TCPWorld: Sendable {
    let loop = EventLoop(name: "client-tests")
    let transports: SpyFactory
    let journal = Locked<[JournalEvent]>([])
    let endpointKinds = Locked<[EndpointEvent.Kind]>([])
    private let endpoint: Endpoint
    private let listener: TCPListener

    init(_ script: EndpointScript = .byQuery) throws {
        let kinds = Kinds()
        let endpoint = Endpoint(
            executor: loop, random: SeededRandomSource(seed: 1), behaviour: script,
            journal: { event in kinds.owner?.endpointKinds.withLock { $0.append(event.kind) } })
        self.endpoint = endpoint
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        transports = SpyFactory(SocketTransportFactory(loop: loop))
        kinds.owner = self
    }

    func client(
        _ target: String = "/", configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) throws -> WebSocketClient {
        var settings = ClientConfiguration()
        settings.transport = transports
        settings.reconnect = nil
        settings.journal = { [weak self] event in self?.journal.withLock { $0.append(event) } }
        try configure(&settings)
        let ready = settings
        return try WebSocketClient("ws://127.0.0.1:\(listener.port)\(target)") { $0 = ready }
    }

    /// Runs `body` on the loop.
    func on<Value: Sendable>(_ body: @escaping @Sendable (Endpoint) -> Value) async -> Value {
        await withHandover { handover in
            loop.execute { handover.resume(returning: body(self.endpoint)) }
        }
    }

    /// Waits in real time, half a minute at the most, until `condition` holds on the loop.
    func eventually(
        _ condition: @escaping @Sendable (Endpoint) -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        repeat {
            if await on(condition) { return true }
            try await Task.sleep(for: .milliseconds(2))
        } while ContinuousClock.now < deadline
        return false
    }

    func shutdown() async {
        await on { $0.dropAll() }
        listener.close()
        loop.shutdown()
    }

    private final class Kinds: @unchecked Sendable {
        weak var owner: TCPWorld?
    }

    /// The descriptors that this process has open.
    static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
}
