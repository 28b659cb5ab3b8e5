import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The client's settings")
struct ClientConfigurationTests {
    @Test("R1: the defaults are those that the documentation states")
    func defaults() throws {
        let settings = ClientConfiguration()
        #expect(settings.heartbeat == .every(.seconds(20), timeout: .seconds(10)))
        #expect(settings.reconnect == ReconnectPolicy())
        #expect(settings.reconnect?.backoff == .standard)
        #expect(settings.connectTimeout == .seconds(30))
        #expect(settings.closeTimeout == .seconds(5))
        #expect(settings.pathSettling == .milliseconds(500))
        #expect(settings.wakeSpacing == .seconds(30))
        #expect(settings.limits == Limits())
        #expect(settings.receiveBufferBytes == 4 << 20)
        #expect(settings.headers.isEmpty)
        #expect(settings.subprotocols.isEmpty)
        #expect(settings.request == nil)
        #expect(settings.journal == nil)
        #expect(settings.seed == nil)
    }

    @Test("R1, H14: the session hears of every setting that is about it")
    func session() throws {
        let usual = try ClientConfiguration().session.value
        #expect(usual.heartbeat?.probeTimeout == .seconds(5))
        #expect(usual == (try ClientConfiguration().session.value))
        var settings = ClientConfiguration()
        settings.heartbeat = nil
        settings.reconnect = nil
        settings.connectTimeout = .seconds(1)
        settings.closeTimeout = .seconds(2)
        settings.wakeSpacing = .seconds(3)
        settings.pathSettling = .seconds(4)
        let session = try settings.session.value
        #expect(
            session
                == SessionConfiguration(
                    heartbeat: nil, reconnect: nil, connectTimeout: .seconds(1),
                    closeTimeout: .seconds(2), wakeSpacing: .seconds(3),
                    pathSettling: .seconds(4)))
    }

    @Test("H14: interval and timeout are kept apart, and what cannot be kept is refused by name")
    func heartbeat() throws {
        let good = try HeartbeatSettings.every(.seconds(3), timeout: .milliseconds(5)).checked()
        #expect(good.interval == .seconds(3))
        #expect(good.timeout == .milliseconds(5))
        let bad: [(HeartbeatSettings, HeartbeatConfigurationError.Setting)] = [
            (.every(.zero, timeout: .seconds(1)), .interval),
            (.every(.seconds(-1), timeout: .seconds(1)), .interval),
            (.every(.seconds(Int64.max), timeout: .seconds(1)), .interval),
            (.every(.seconds(1), timeout: .zero), .timeout),
            (.every(.seconds(1), timeout: .nanoseconds(-1)), .timeout),
            (.every(.seconds(1), timeout: .seconds(Int64.max)), .timeout),
            (.every(.seconds(1), timeout: .seconds(1), probeTimeout: .zero), .probeTimeout),
            (.every(.seconds(1), timeout: .seconds(1), probeTimeout: .seconds(2)), .probeTimeout),
        ]
        for (settings, setting) in bad {
            let error = #expect(throws: HeartbeatConfigurationError.self) {
                _ = try settings.checked()
            }
            #expect(error?.setting == setting)
            #expect(throws: HeartbeatConfigurationError.self) {
                _ = try WebSocketClient("ws://h/") { $0.heartbeat = settings }
            }
        }
    }

    @Test("L2, H14: a probe has 5 s, or the timeout where that is shorter, unless it is set")
    func probeTimeout() throws {
        func probeTimeout(_ timeout: Duration, _ probe: Duration? = nil) throws -> Duration {
            try HeartbeatSettings.every(.seconds(20), timeout: timeout, probeTimeout: probe)
                .checked().probeTimeout
        }
        #expect(try probeTimeout(.seconds(10)) == .seconds(5))
        #expect(try probeTimeout(.seconds(4)) == .seconds(4))
        #expect(try probeTimeout(.seconds(10), .seconds(10)) == .seconds(10))
        #expect(try probeTimeout(.seconds(10), .milliseconds(1)) == .milliseconds(1))
    }

    @Test("L3, R6: settling and spacing reach the session")
    func lifeCycleSettings() throws {
        let client = try WebSocketClient("ws://h/") {
            $0.pathSettling = .seconds(7)
            $0.wakeSpacing = .seconds(8)
        }
        #expect(client.core.machine.configuration.pathSettling == .seconds(7))
        #expect(client.core.machine.configuration.wakeSpacing == .seconds(8))
    }

    @Test("R4: an attempt says for which connection and for which URL it is")
    func attempt() throws {
        let url = try WebSocketURL("ws://h/x")
        let attempt = ConnectionAttempt(url: url, generation: Generation(3), number: 2)
        #expect(attempt.url == url)
        #expect(attempt.generation == Generation(3))
        #expect(attempt.number == 2)
        #expect(
            attempt != ConnectionAttempt(url: url, generation: Generation(4), number: 2))
    }

    @Test("Every setting reaches the session: the limits refuse, the timeouts end")
    func reachTheSession() throws {
        let world = World()
        var limits = Limits()
        limits.messageBytes = 10
        let client = try world.openClient("/?hello=1x11") {
            $0.limits = limits
            $0.reconnect = nil
        }
        let cause = try world.run {
            for await state in client.states {
                if case .stopped(let cause) = state { return "\(cause)" }
            }
            return ""
        }
        #expect(world.causes == [.protocolViolation])
        #expect(!cause.isEmpty)
        try world.checkNothingLeft(client)

        let slow = World()
        let late = try slow.client("/?refuse=silence") {
            $0.connectTimeout = .milliseconds(700)
            $0.reconnect = nil
        }
        _ = try slow.run { await WebSocketClientTests.stopCause(late) }
        #expect(slow.milliseconds == 700)
        #expect(slow.causes == [.connectTimeout])
        try slow.checkNothingLeft(late)
    }

    @Test("R4: what a request does not say for itself is the client's, and what it says stays")
    func requestDefaults() throws {
        var configuration = ClientConfiguration()
        configuration.limits.messageBytes = 10
        configuration.compression = .off
        configuration.tls.minimumVersion = .tls13
        configuration.proxy = try .http("http://proxy.example:3128")
        configuration.redirects = .follow
        let bare = try ConnectionRequest(url: try WebSocketURL("wss://example.com/"))
        let request = configuration.requestDefaults.complete(bare)
        #expect(request.limits == configuration.limits)
        #expect(request.compression == .off)
        #expect(request.tls == configuration.tls)
        #expect(request.proxy == configuration.proxy)
        #expect(request.redirects == .follow)
        #expect(ClientConfiguration().requestDefaults.complete(request) == request)
    }

    @Test(
        "P4, R4: a provider's request is held to the client's limits and compression unless it has its own"
    )
    func providedLimits() throws {
        var limits = Limits()
        limits.messageBytes = 10
        for (own, cause) in [(nil, .protocolViolation), (Limits(), .closedByPeer)]
            as [(Limits?, CloseCause.Kind)]
        {
            let world = World()
            let client = try world.client {
                $0.limits = limits
                $0.compression = .off
                $0.reconnect = nil
                $0.request = { _ in
                    var request = try world.request("/?hello=1x11&close=1008")
                    #expect(request.compression == nil)
                    request.limits = own
                    return request
                }
            }
            _ = try world.run { await WebSocketClientTests.stopCause(client) }
            #expect(world.causes == [cause])
            try world.checkNothingLeft(client)
        }
    }

    @Test("R1: the same seed gives the same back-off, another seed another one")
    func seed() throws {
        func waits(_ seed: UInt64) throws -> Int64 {
            let world = World()
            let client = try world.client(port: World.closedPort) {
                $0.seed = seed
                $0.reconnect = ReconnectPolicy(
                    backoff: try Backoff(jitter: .proportional(0.3), attempts: 4))
            }
            _ = try world.run { await WebSocketClientTests.stopCause(client) }
            return world.executor.now().nanoseconds
        }
        let first = try waits(1)
        #expect(try waits(1) == first)
        #expect(try waits(2) != first)
        #expect((15_000_000_000...19_500_000_000).contains(first))
    }

    @Test("A receive buffer of nothing still lets one message through at a time")
    func noBuffer() throws {
        let world = World()
        let client = try world.openClient("/?hello=20x10") { $0.receiveBufferBytes = 0 }
        let received = try world.run {
            var iterator = client.messages.makeAsyncIterator()
            var count = 0
            while count < 20, await iterator.next() != nil { count += 1 }
            await client.disconnect()
            return count
        }
        #expect(received == 20)
        try world.checkNothingLeft(client)
    }
}
