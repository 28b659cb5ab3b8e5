import HeartwireSession
import Testing

@Suite("HeartbeatConfiguration: what can be set")
struct HeartbeatConfigurationTests {
    typealias Configuration = Heartbeat<Int>.Configuration

    @Test("H14: interval and timeout are separate settings; the others follow the timeout")
    func defaults() throws {
        let configuration = try Configuration(interval: 100, timeout: 1000)
        #expect(configuration.interval == 100)
        #expect(configuration.timeout == 1000)
        #expect(configuration.probeTimeout == 1000)
        #expect(configuration.suspensionTolerance == 1000)
        #expect(!configuration.countsInboundFrames)
    }

    @Test("H14: every setting is kept as it was given")
    func settings() throws {
        let configuration = try Configuration(
            interval: 1, timeout: 20, probeTimeout: 3, suspensionTolerance: 0,
            countsInboundFrames: true)
        #expect(configuration.interval == 1)
        #expect(configuration.timeout == 20)
        #expect(configuration.probeTimeout == 3)
        #expect(configuration.suspensionTolerance == 0)
        #expect(configuration.countsInboundFrames)
    }

    @Test(
        "H14: zero and negative spans are refused, with the setting's name",
        arguments: [0, -1, Int.min])
    func notPositive(span: Int) {
        #expect(fault { try .init(interval: span, timeout: 1) } == "the interval is not positive")
        #expect(fault { try .init(interval: 1, timeout: span) } == "the timeout is not positive")
        #expect(
            fault { try .init(interval: 1, timeout: 1, probeTimeout: span) }
                == "the probe timeout is not positive")
        let tolerance = fault { try .init(interval: 1, timeout: 1, suspensionTolerance: span) }
        #expect(tolerance == (span == 0 ? nil : "the suspension tolerance is not positive"))
    }

    @Test("H14: spans that could overflow are refused, the longest that cannot is taken")
    func tooLong() throws {
        let most = Int.max / 2
        _ = try Configuration(interval: most, timeout: most, suspensionTolerance: most)
        for span in [most + 1, Int.max] {
            #expect(fault { try .init(interval: span, timeout: 1) } == "the interval is too long")
            #expect(fault { try .init(interval: 1, timeout: span) } == "the timeout is too long")
            #expect(
                fault { try .init(interval: 1, timeout: 1, suspensionTolerance: span) }
                    == "the suspension tolerance is too long")
        }
        #expect(
            fault { try .init(interval: 1, timeout: 5, probeTimeout: 6) }
                == "the probe timeout is too long", "a probe never waits longer than a ping")
    }

    @Test("H14: the default of a session keeps the rules")
    func standard() throws {
        let standard = Heartbeat<MonotonicInstant>.Configuration.standard
        #expect(standard == (try .init(interval: .seconds(20), timeout: .seconds(10))))
    }

    @Test("H14: the same rules hold for durations")
    func durations() throws {
        typealias OnTheClock = Heartbeat<ContinuousClock.Instant>.Configuration
        typealias InTheSession = Heartbeat<MonotonicInstant>.Configuration
        let eternity = Duration.seconds(Int64.max)
        #expect(throws: HeartbeatConfigurationError.self) {
            try OnTheClock(interval: .zero, timeout: .seconds(1))
        }
        #expect(throws: HeartbeatConfigurationError.self) {
            try OnTheClock(interval: .seconds(1), timeout: eternity)
        }
        #expect(throws: HeartbeatConfigurationError.self) {
            try InTheSession(interval: .seconds(-1), timeout: .seconds(1))
        }
        #expect(throws: HeartbeatConfigurationError.self) {
            try InTheSession(interval: eternity, timeout: .seconds(1))
        }
        let usual = try InTheSession(interval: .seconds(20), timeout: .seconds(10))
        #expect(usual.suspensionTolerance == .seconds(10))
    }

    @Test("H14: a heartbeat has the settings, and the last ping, that it is made with")
    func made() throws {
        let settings = try Configuration(interval: 3, timeout: 2)
        let heartbeat = Heartbeat(settings, after: PingID(7))
        #expect(heartbeat.configuration == settings)
        let same = try Configuration(interval: 3, timeout: 2)
        let other = try Configuration(interval: 3, timeout: 1)
        #expect(settings == same)
        #expect(settings != other)
        #expect(Set([settings, same, other]).count == 2)
        #expect(heartbeat.lastPing == PingID(7))
        #expect(Heartbeat(settings).lastPing == PingID(0))
    }

    @Test("H14: the error can be told apart by setting and fault")
    func error() throws {
        let error = try #require(throws: HeartbeatConfigurationError.self) {
            try Configuration(interval: 0, timeout: 1)
        }
        #expect(error.setting == .interval)
        #expect(error.fault == .notPositive)
        #expect(error.description == "heartbeat: the interval is not positive")
    }

    func fault(_ make: () throws -> Configuration) -> String? {
        do {
            _ = try make()
            return nil
        } catch {
            return "\(error)".replacing("heartbeat: ", with: "")
        }
    }
}
