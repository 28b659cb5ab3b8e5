#if os(Linux)
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireSocket
    import HeartwireTesting
    import NetworkNamespaces
    import Testing

    @testable import Heartwire

    /// A client and its server in two networks with a cable between them, in real time, over the system's own monitor.
    @Suite(
        "The client over a network that changes", .serialized,
        .enabled(if: NetworkNamespace.obstacle == nil, "network namespaces: root and ip(8)"),
        .timeLimit(.minutes(3)))
    struct PathChangeTests {
        private let here: NetworkNamespace
        private let there: NetworkNamespace
        private let server: Server
        private let journal = Journal()

        /// The server has an address of its own behind the cable, so that the way to it is a route that can change.
        private static let address = "10.88.0.1"

        private final class Journal: Sendable {
            private let entries = Locked<[JournalEvent]>([])
            var all: [JournalEvent] { entries.withLock { $0 } }
            func add(_ event: JournalEvent) { entries.withLock { $0.append(event) } }
        }

        private final class Server: @unchecked Sendable {
            let listener: TCPListener

            init(on loop: EventLoop) async throws {
                let endpoint = Endpoint(
                    executor: loop, random: SystemRandomSource(), behaviour: .byQuery)
                let listening: Result<TCPListener, any Error> = await withHandover { handover in
                    loop.execute {
                        handover.resume(
                            returning: Result {
                                try TCPListener.listen(host: PathChangeTests.address, on: loop) {
                                    channel in
                                    endpoint.accept(channel)
                                    channel.start()
                                }
                            })
                    }
                }
                listener = try listening.get()
            }
        }

        init() async throws {
            here = try NetworkNamespace("client")
            there = try NetworkNamespace("server")
            try NetworkNamespace.connect(
                (here, "here", "10.77.0.2/24"), (there, "there", "10.77.0.1/24"))
            try there.ip("link set lo up")
            try there.ip("addr add \(Self.address)/32 dev lo")
            try here.ip("route add \(Self.address) via 10.77.0.1")
            server = try await Server(on: there.loop)
        }

        private func client() throws -> WebSocketClient {
            let journal = journal
            let transport = SocketTransportFactory(loop: here.loop)
            return try WebSocketClient("ws://\(Self.address):\(server.listener.port)/") {
                $0.transport = transport
                // Far too slow to notice anything by itself within this test. What ends early may take long on a busy
                // machine: an opening, the answer to a probe.
                $0.heartbeat = .every(
                    .seconds(600), timeout: .seconds(300), probeTimeout: .seconds(2))
                $0.reconnect = ReconnectPolicy(
                    backoff: (try? Backoff(base: .seconds(300), cap: .seconds(300), jitter: .none))
                        ?? .standard, stability: .zero)
                $0.connectTimeout = .seconds(5)
                $0.pathSettling = .milliseconds(200)
                $0.wakeSpacing = .zero
                $0.journal = { journal.add($0) }
            }
        }

        private func close(_ client: WebSocketClient) async {
            await client.disconnect()
            // The connection itself may linger for a second until the server has closed it, too.
            let patience = ContinuousClock.now + .seconds(60)
            while await watchedCount() > 0, ContinuousClock.now < patience {
                try? await Task.sleep(for: .milliseconds(20))
            }
            #expect(await watchedCount() == 0, "the monitor's socket went with the session")
            server.listener.close()
            here.close()
            there.close()
        }

        private func watchedCount() async -> Int {
            await withHandover { handover in
                here.loop.execute { [loop = here.loop] in
                    handover.resume(returning: loop.watchedCount)
                }
            }
        }

        /// Waits until the client is in such a state. The journal tells what it went through.
        private func reach(
            _ client: WebSocketClient, _ isThere: @Sendable (SessionState) -> Bool
        ) async {
            for await state in client.states where isThere(state) { return }
        }

        private func isOpen(after old: UInt64) -> @Sendable (SessionState) -> Bool {
            { state in
                guard case .open(let generation) = state else { return false }
                return generation.number > old
            }
        }

        private var causes: [CloseCause.Kind] {
            journal.all.filter { $0.kind == .closed }.compactMap(\.cause)
        }

        @Test(
            "L3, R6: a way that goes away has the client probe and replace the connection; when it is back, a wait is cut short",
            arguments: [
                ("addr del 10.77.0.2/24 dev here", "addr add 10.77.0.2/24 dev here"),
                ("link set here down", "link set here up"),
                (
                    "route replace 10.88.0.1 via 10.77.0.99",
                    "route replace 10.88.0.1 via 10.77.0.1"
                ),
            ])
        func replaced(breaking: String, mending: String) async throws {
            let client = try client()
            await client.connect()
            try await client.waitUntilOpen()
            let began = ContinuousClock.now
            try here.ip(breaking)
            // The probe fails, the connection is replaced at once, and that attempt fails too.
            await reach(client) { state in
                guard case .waiting(let attempt, _, _) = state else { return false }
                return attempt == 2
            }
            let noticed = began.duration(to: .now)
            #expect(causes.first == .heartbeatTimeout)
            #expect(causes.count == 2)
            #expect(journal.all.contains { $0.kind == .pathChanged })
            #expect(journal.all.contains { $0.kind == .pingSent })
            #expect(noticed < .seconds(60), "by itself it would have taken 600 s")
            try here.ip(mending)
            // An address that was taken away has taken the route with it; the way is not back before that is.
            if !mending.contains("route") { try here.ip("route replace 10.88.0.1 via 10.77.0.1") }
            await reach(client, isOpen(after: 1))
            #expect(began.duration(to: .now) < .seconds(120), "the wait was 300 s")
            await close(client)
        }

        @Test("L3: a change that leaves the way as it is costs a ping, and the connection stays")
        func reused() async throws {
            let client = try client()
            await client.connect()
            try await client.waitUntilOpen()
            try here.ip("addr add 10.77.0.3/24 dev here")
            let deadline = ContinuousClock.now.advanced(by: .seconds(60))
            while !journal.all.contains(where: { $0.kind == .pongReceived }),
                ContinuousClock.now < deadline
            {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(journal.all.contains { $0.kind == .pathChanged })
            #expect(journal.all.count { $0.kind == .pongReceived } == 1)
            #expect(causes.isEmpty)
            #expect(await client.state == .open(Generation(1)))
            await close(client)
        }

        @Test(
            "L3: with the monitor off the client hears of nothing, and the heartbeat is left to find out"
        )
        func off() async throws {
            let journal = journal
            let transport = SocketTransportFactory(loop: here.loop)
            let client = try WebSocketClient("ws://\(Self.address):\(server.listener.port)/") {
                $0.transport = transport
                $0.pathMonitor = .off
                $0.reconnect = nil
                $0.heartbeat = .every(.milliseconds(300), timeout: .milliseconds(300))
                $0.journal = { journal.add($0) }
            }
            await client.connect()
            try await client.waitUntilOpen()
            try here.ip("link set here down")
            await reach(client) { if case .stopped = $0 { true } else { false } }
            #expect(!journal.all.contains { $0.kind == .pathChanged })
            #expect(causes == [.heartbeatTimeout])
            await close(client)
        }
    }
#endif
