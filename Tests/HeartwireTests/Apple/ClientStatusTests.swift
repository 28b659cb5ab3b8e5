#if canImport(Observation)
    import Observation
    import Testing

    @testable import Heartwire

    @Suite("S4: the status that a view observes", .timeLimit(.minutes(1)))
    @MainActor
    struct ClientStatusTests {
        /// Waits until what a status shows satisfies a condition, woken by observation alone.
        private func wait(
            for status: ClientStatus, until condition: @MainActor (ClientStatus) -> Bool
        ) async {
            while true {
                let (changes, change) = AsyncStream.makeStream(of: Void.self)
                let holds = withObservationTracking {
                    condition(status)
                } onChange: {
                    change.yield()
                }
                if holds || Task.isCancelled { return }
                for await _ in changes { break }
            }
        }

        @Test("S4: it shows the state and the last cause, and tells its observers of each change")
        func states() async throws {
            let world = try TCPWorld()
            let client = try world.client()
            let status = ClientStatus(of: client)
            #expect(status.state == .idle)
            #expect(!status.isOpen)
            await client.connect()
            await wait(for: status) { $0.isOpen }
            #expect(status.lastCause == nil)
            try await client.disconnect(code: 4_000, reason: "bye")
            await wait(for: status) { $0.lastCause != nil }
            #expect(!status.isOpen)
            #expect(status.lastCause?.kind == .closedByApp)
            await world.shutdown()
        }

        @Test("S4: it keeps no client, and nobody keeps it")
        func release() async throws {
            var client: WebSocketClient? = try WebSocketClient("ws://server.example/")
            weak let keptClient = client
            var status: ClientStatus? = ClientStatus(of: try #require(client))
            weak let keptStatus = status
            client = nil
            #expect(keptClient == nil)
            status = nil
            #expect(keptStatus == nil)
        }
    }
#endif
