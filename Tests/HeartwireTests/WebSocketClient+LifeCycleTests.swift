import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("WebSocketClient: suspend and resume")
struct WebSocketClientLifeCycleTests {
    private let world = World()

    private func openClient(
        _ target: String = "/", configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) throws -> WebSocketClient {
        try world.openClient(target) {
            $0.heartbeat = .every(.seconds(20), timeout: .seconds(10))
            try configure(&$0)
        }
    }

    @Test("L1: while suspended the heartbeat keeps nothing alive: no ping, no verdict, no timer")
    func noKeepAlive() throws {
        let client = try openClient("/?pong=off")
        world.executor.advance(by: .seconds(25))
        #expect(world.endpoint.counters.pings == 1)
        try world.run { await client.suspend() }
        #expect(try world.run { await client.isSuspended })
        let timers = world.executor.pendingTimers
        world.executor.advance(by: .seconds(36_000))
        #expect(world.executor.pendingTimers == timers)
        #expect(world.endpoint.counters.pings == 1)
        #expect(world.causes.isEmpty)
        #expect(try world.state(client) == .open(Generation(1)))
    }

    @Test(
        "L2: on the resume a healthy connection proves itself by one fresh pong and is used further"
    )
    func reused() throws {
        let client = try openClient()
        try world.run {
            await client.suspend()
            await client.suspend()
            try await world.sleep(.seconds(600))
            await client.resume()
            await client.resume()
            try await world.sleep(.seconds(10))
        }
        #expect(world.endpoint.counters.pings == 1)
        #expect(world.states == [.connecting, .open])
        #expect(world.journal.count { $0.kind == .suspendRequested } == 2)
        #expect(world.journal.count { $0.kind == .resumeRequested } == 2)
        #expect(try world.run { await !client.isSuspended })
    }

    @Test(
        "K02-10, L2: after ten minutes of sleep a half-open connection is replaced once, at once, by itself"
    )
    func halfOpen() throws {
        let client = try openClient()
        try world.run { await client.suspend() }
        world.executor.perform { world.serverChannel?.freeze() }
        world.executor.advance(by: .seconds(600))
        try world.run { await client.resume() }
        world.executor.advance(by: .milliseconds(4_999))
        #expect(world.causes.isEmpty)
        world.executor.advance(by: .milliseconds(1))
        #expect(world.causes == [.heartbeatTimeout], "5 s is the standard for a probe")
        #expect(world.states.suffix(3) == [.waiting, .connecting, .open])
        world.executor.advance(by: .seconds(60))
        #expect(world.network.attempts == 2)
    }

    @Test("L2: messages that were kept during the sleep arrive, and do not save the connection")
    func keptMessages() throws {
        let client = try openClient("/?pong=off")
        let received = Box<[Message]>([])
        world.start { for await message in client.messages { received.value.append(message) } }
        try world.run { await client.suspend() }
        try world.atEndpoint { try $0.send(text: "in the dark") }
        world.executor.advance(by: .seconds(600))
        try world.run { await client.resume() }
        for _ in 0..<9 {
            if world.connection != nil { try world.atEndpoint { try $0.send(text: "alive") } }
            world.executor.advance(by: .milliseconds(500))
        }
        #expect(received.value.first == .text("in the dark"))
        #expect(received.value.count > 5)
        world.executor.advance(by: .milliseconds(500))
        #expect(world.causes == [.heartbeatTimeout])
    }

    @Test(
        "L1: a connection that ends while suspended leaves the state suspended, and is replaced at the resume"
    )
    func endedWhileSuspended() throws {
        let client = try openClient()
        try world.run { await client.suspend() }
        world.executor.perform { world.endpoint.dropAll() }
        world.executor.advance(by: .seconds(3_600))
        guard case .suspended(cause: .some) = try world.state(client) else {
            Issue.record("\(try world.state(client))")
            return
        }
        #expect(world.network.attempts == 1)
        try world.run {
            await client.resume()
            try await client.waitUntilOpen()
        }
        #expect(world.states == [.connecting, .open, .suspended, .connecting, .open])
    }

    @Test(
        "L1: connect() while suspended is remembered; waiting for the opening goes on through the resume"
    )
    func connectWhileSuspended() throws {
        let client = try world.client()
        try world.run {
            await client.suspend()
            await client.connect()
            let state = await client.state
            #expect(state == .suspended(cause: nil))
            async let opened = client.waitUntilOpen()
            try await world.sleep(.seconds(60))
            #expect(world.network.attempts == 0)
            await client.resume()
            _ = try await opened
        }
        #expect(world.network.attempts == 1)
        try world.run { await client.disconnect() }
        try world.checkNothingLeft(client)
    }

    @Test(
        "R5, L1: disconnect() while suspended closes politely and leaves nothing; so does letting go"
    )
    func disconnectWhileSuspended() throws {
        let client = try openClient()
        try world.run {
            await client.suspend()
            try await world.sleep(.seconds(600))
            await client.disconnect()
        }
        #expect(world.endpointKinds.contains { $0.name == "close-received" })
        try world.checkNothingLeft(client)

        var forgotten: WebSocketClient? = try openClient()
        if let forgotten { try world.run { await forgotten.suspend() } }
        forgotten = nil
        world.executor.advance(by: .seconds(6))
        #expect(world.transports.living == 0)
    }

    @Test(
        "L1, R5: a close that is under way when the session is suspended is cut short, so nobody waits for ever"
    )
    func suspendWhileClosing() throws {
        let client = try openClient()
        world.executor.perform { world.serverChannel?.freeze() }
        try world.run {
            let ending = Task(executorPreference: world.executor) { await client.disconnect() }
            try await world.sleep(.milliseconds(100))
            let began = world.milliseconds
            await client.suspend()
            await ending.value
            #expect(world.milliseconds == began)
        }
        #expect(world.causes == [.closedByApp])
        try world.checkNothingLeft(client)
    }

    @Test(
        "L1: what is sent while suspended goes out on the connection that is there, and nowhere without one"
    )
    func sendWhileSuspended() throws {
        let client = try openClient()
        try world.run {
            await client.suspend()
            try await client.send(.text("still here"))
        }
        world.executor.runUntilIdle()
        #expect(world.endpoint.counters.messages == 1)
        world.executor.perform { world.endpoint.dropAll() }
        world.executor.advance(by: .seconds(1))
        try world.run {
            await #expect(throws: SendError.notOpen) { try await client.send(.text("gone")) }
        }
    }

    @Test("L1, D3: what is delivered while suspended is confirmed by the probe of the resume")
    func deliverWhileSuspended() throws {
        let client = try openClient { $0.outbox = .memory }
        try world.run {
            await client.suspend()
            let receipt = try await client.deliver(.text("order"))
            try await receipt.written()
            try await world.sleep(.seconds(60))
            let pending = await client.outboxStatus
            #expect(pending.waiting == 1)
            await client.resume()
            try await receipt.confirmed()
        }
        #expect(world.endpoint.counters.pings == 1)
    }

    @Test("D6, L1: shutdown() resumes a suspended session, so that what is stored can be confirmed")
    func shutdownWhileSuspended() throws {
        let client = try openClient { $0.outbox = .memory }
        try world.run {
            await client.suspend()
            world.executor.perform { world.endpoint.dropAll() }
            try await world.sleep(.seconds(60))
            _ = try await client.deliver(.text("order"))
            let report = await client.shutdown(grace: .seconds(5))
            #expect(report.isDrained)
        }
        try world.checkNothingLeft(client)
    }

    @Test(
        "L4, K02-08: only the monotonic clock is asked: hours on it while suspended are no verdict and no wait"
    )
    func longSuspension() throws {
        let client = try openClient()
        for hours in [1, 12, 1_000] {
            try world.run { await client.suspend() }
            world.executor.advance(by: .seconds(hours * 3_600))
            try world.run { await client.resume() }
            world.executor.advance(by: .seconds(1))
        }
        #expect(world.states == [.connecting, .open])
        #expect(world.endpoint.counters.pings == 3)
    }
}
