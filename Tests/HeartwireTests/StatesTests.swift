import HeartwireProtocol
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire
@testable import HeartwireSession

@Suite("The sequence of states")
struct StatesTests {
    private let world = World()

    /// Writes down a client's states from now on.
    private func log(_ client: WebSocketClient) -> (Box<[SessionState]>, Task<Void, Never>) {
        let states = Box<[SessionState]>([])
        let task = world.start {
            for await state in client.states { states.value.append(state) }
        }
        return (states, task)
    }

    @Test("S1: the present state comes first, then every change, with the cause of each end")
    func presentFirst() throws {
        let client = try world.client()
        let (fromIdle, _) = log(client)
        try world.run {
            await client.connect()
            try await client.waitUntilOpen()
        }
        let (fromOpen, _) = log(client)
        #expect(fromOpen.value == [.open(Generation(1))])
        try world.atEndpoint { $0.close(1_012, reason: "restart") }
        let world = world
        try world.run {
            try await world.sleep(.seconds(2))
            await client.disconnect()
        }
        world.executor.runUntilIdle()
        let cause = CloseCause.closedByPeer(PeerClose(code: 1_012, reason: "restart"))
        let stop = StopCause.disconnected(
            .closedByApp(sent: 1_000, answer: PeerClose(code: 1_000)))
        let rest: [SessionState] = [
            .open(Generation(1)), .waiting(attempt: 1, delay: .seconds(1), cause: cause),
            .connecting(Generation(2), attempt: 1), .open(Generation(2)),
            .closing(Generation(2)), .stopped(stop),
        ]
        #expect(fromOpen.value == rest)
        #expect(fromIdle.value == [.idle, .connecting(Generation(1), attempt: 0)] + rest)
    }

    @Test("S1: the sequence goes on through a stop, for connect() may be called again")
    func throughStop() throws {
        let client = try world.openClient()
        let (states, _) = log(client)
        try world.run {
            await client.disconnect()
            await client.connect()
            try await client.waitUntilOpen()
        }
        world.executor.runUntilIdle()
        #expect(states.value.last == .open(Generation(2)))
        #expect(states.value.count == 5)
    }

    @Test("K11-04: a cancelled consumer's loop ends within the instant")
    func cancelled() throws {
        let client = try world.client("/?refuse=silence")
        let (states, task) = log(client)
        try world.run {
            await client.connect()
            try await world.sleep(.milliseconds(3))
            task.cancel()
            await task.value
            #expect(world.milliseconds == 3)
            await client.disconnect()
        }
        #expect(states.value.count == 2)
    }

    @Test("S1: the sequence ends when the client is gone, also one that is asked for afterwards")
    func clientGone() throws {
        var client: WebSocketClient? = try world.openClient()
        let sequence = try #require(client?.states)
        let seen = Box(0)
        let task = world.start { for await _ in sequence { seen.value += 1 } }
        client = nil
        try world.run { await task.value }
        let late = try world.run {
            var states: [SessionState] = []
            for await state in sequence { states.append(state) }
            return states
        }
        #expect(late.count == 1)
        #expect(seen.value >= 1)
    }

    @Test("S2: a consumer that never reads holds a bounded number of states, the latest among them")
    func bounded() throws {
        let hub = StateHub(executor: world.executor)
        let subscription = Subscription<SessionState>()
        world.executor.perform {
            hub.add(subscription)
            for number in 0..<5_000 { hub.publish(.open(Generation(UInt64(number)))) }
            #expect(subscription.queue.count == StateHub.maximumQueued)
            #expect(subscription.queue.slots.count <= 2 * StateHub.maximumQueued + 1)
            var batch = BatchQueue<SessionState>()
            subscription.take(into: &batch)
            var last: SessionState?
            while let state = batch.popFirst() { last = state }
            #expect(last == .open(Generation(4_999)))
            #expect(hub.dropped == 5_001 - StateHub.maximumQueued)
            #expect(hub.current == last)
        }
    }

    @Test(
        "S1: a hub that has finished gives the last state and ends; a consumer that left hears nothing"
    )
    func finishedHub() throws {
        let hub = StateHub(executor: world.executor)
        let gone = Subscription<SessionState>()
        let late = Subscription<SessionState>()
        hub.add(gone)
        hub.remove(gone)
        world.executor.runUntilIdle()
        world.executor.perform {
            hub.publish(.stopped(.disconnected(nil)))
            hub.finish()
        }
        #expect(gone.queue.count == 1)
        #expect(!gone.isFinished)
        hub.add(late)
        world.executor.runUntilIdle()
        #expect(late.isFinished)
        #expect(late.queue.count == 1)
    }

    // MARK: Acting from inside a consumer

    @Test("K01-05 A: connect() from the handler of the stop leads to an open session")
    func connectFromHandler() throws {
        let client = try world.client("/?close=1008") { $0.connectTimeout = .seconds(1) }
        let world = world
        let refusals = Box(3)
        world.endpoint.script = .custom { _, _ in
            var behaviour = EndpointBehaviour()
            refusals.value -= 1
            if refusals.value >= 0 { behaviour.close = .init(code: 1_008) }
            return behaviour
        }
        world.start {
            for await state in client.states {
                if case .stopped = state, refusals.value > -2 { await client.connect() }
            }
        }
        try world.run { await client.connect() }
        world.executor.advance(by: .seconds(1))
        #expect(try world.state(client) == .open(Generation(4)))
        #expect(world.milliseconds == 1_000)
        world.checkJournal()
    }

    @Test("R5, K01-05 B: disconnect() and then connect() from the handler of a wait end open")
    func disconnectConnectFromHandler() throws {
        let client = try world.openClient()
        let world = world
        let waits = Box(0)
        world.start {
            for await state in client.states {
                guard case .waiting = state else { continue }
                waits.value += 1
                await client.disconnect()
                await client.connect()
            }
        }
        try world.atEndpoint { $0.drop(.rst) }
        #expect(try world.state(client) == .open(Generation(3)))
        #expect(waits.value == 1)
        #expect(world.milliseconds == 0)
        world.checkJournal()
    }

    @Test(
        "R5, K01-05 C: disconnect() from the handler of connecting ends stopped, with nothing left")
    func disconnectFromHandler() throws {
        let client = try world.client()
        world.start {
            for await state in client.states {
                if case .connecting = state { await client.disconnect() }
            }
        }
        try world.run { await client.connect() }
        world.executor.runUntilIdle()
        try world.checkNothingLeft(client)
    }

    @Test(
        "K01-07: connect() and send() from the handler of a close reach the second connection once")
    func sendFromHandler() throws {
        let client = try world.openClient { $0.reconnect = nil }
        let world = world
        let sent = Box(0)
        world.start {
            for await state in client.states {
                guard case .stopped = state, sent.value == 0 else { continue }
                sent.value += 1
                await client.connect()
                await #expect(throws: SendError.notOpen) { try await client.send(.text("x")) }
                _ = try? await client.waitUntilOpen()
                try? await client.send(.text("x"))
            }
        }
        try world.atEndpoint { $0.close(1_001) }
        world.executor.runUntilIdle()
        #expect(try world.state(client) == .open(Generation(2)))
        #expect(world.endpoint.counters.messages == 1)
        #expect(world.endpointEvents.last { $0.kind.name == "message" }?.connection == 2)
    }
}
