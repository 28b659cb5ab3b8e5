import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireTesting

private func herd(
    _ clients: Int, outage: Duration = .seconds(60), capacity: Int = 1_000_000, seed: UInt64 = 1,
    _ backoff: Backoff = .standard
) throws -> HerdReport {
    var settings = HerdSettings(clients: clients, seed: seed)
    settings.outage = outage
    settings.capacity = capacity
    let policy = HerdPolicy("test", ReconnectPolicy(backoff: backoff))
    return try #require(HerdSimulation(settings, policy).run())
}

private func fixed(attempts: Int? = nil) throws -> Backoff {
    try Backoff(base: .seconds(1), factor: 1, jitter: .none, attempts: attempts)
}

@Suite("HerdSimulation")
struct HerdSimulationTests {
    @Test("R1: without jitter everybody comes in the same second until the server is back")
    func naive() throws {
        let report = try herd(1_000, outage: .seconds(5), try fixed())
        #expect(report.perSecond == [0, 1_000, 1_000, 1_000, 1_000, 1_000])
        #expect(report.attempts == 5_000 && report.returned == 1_000 && report.gaveUp == 0)
        #expect(report.allBack == .seconds(5))
        #expect(report.peak == report.peak && report.peak.second == 1)
        #expect(report.peakOnReturn.second == 5 && report.peakOnReturn.attempts == 1_000)
    }

    @Test("a server that takes so many a second refuses the others, which come again")
    func capacity() throws {
        let report = try herd(1_000, outage: .seconds(2), capacity: 400, try fixed())
        #expect(report.perSecond == [0, 1_000, 1_000, 600, 200])
        #expect(report.allBack == .seconds(4))
    }

    @Test("R1: who has used up the attempts gives up")
    func givesUp() throws {
        let report = try herd(10, outage: .seconds(60), try fixed(attempts: 3))
        #expect(report.attempts == 30 && report.gaveUp == 10 && report.returned == 0)
        #expect(report.allBack == .zero)
        #expect(try herd(10, try fixed(attempts: 0)).attempts == 0)
    }

    @Test("R1: the default policy spreads its attempts over up to 30 % of the wait")
    func proportional() throws {
        let report = try herd(10_000)
        // Waits of 1, 2, 4, 8, 16 and 32 s, each up to 30 % longer.
        #expect(report.perSecond[0] == 0 && report.perSecond[1] == 10_000)
        #expect(report.perSecond[2] == 0)
        #expect(report.perSecond[3] > 0)
        #expect(report.attempts == 60_000 && report.returned == 10_000)
        #expect(report.allBack >= .seconds(63) && report.allBack <= .milliseconds(81_900))
        #expect(report.peakOnReturn.attempts < 2_000)
    }

    @Test("R1: full jitter spreads over the whole wait, from the first second on")
    func full() throws {
        let report = try herd(10_000, try Backoff(jitter: .full))
        #expect(report.perSecond[0] > 0)
        #expect(report.peakOnReturn.attempts < 1_000)
    }

    @Test("the same seed gives the same herd, another another")
    func seeds() throws {
        #expect(try herd(500, seed: 4) == herd(500, seed: 4))
        #expect(try herd(500, seed: 4) != herd(500, seed: 5))
    }

    @Test("a policy that does not retry, and a wait beyond the end, end the attempts")
    func verdicts() throws {
        var policy = ReconnectPolicy()
        policy.verdicts[.kind(.connectionLost)] = .stop
        let settings = HerdSettings(clients: 5, seed: 1)
        let stopped = try #require(HerdSimulation(settings, HerdPolicy("stop", policy)).run())
        #expect(stopped.gaveUp == 5 && stopped.attempts == 0)
        policy.verdicts[.kind(.connectionLost)] = .retryAfter(.seconds(90))
        let late = try #require(HerdSimulation(settings, HerdPolicy("late", policy)).run())
        #expect(late.allBack == .seconds(90) && late.attempts == 5)
        let slow = try Backoff(base: .seconds(7_200), cap: .seconds(7_200), jitter: .none)
        #expect(try herd(5, slow).gaveUp == 5)
    }

    @Test("a herd that is stopped has no report")
    func stopped() {
        let simulation = HerdSimulation(
            HerdSettings(clients: 10, seed: 1), HerdPolicy("default", ReconnectPolicy()))
        #expect(simulation.run(isStopped: { true }) == nil)
    }

    @Test("settings stay within their bounds, and three policies are compared")
    func settings() {
        #expect(HerdSettings(clients: 0, seed: 1).clients == 1)
        #expect(HerdSettings(clients: .max, seed: 1).clients == HerdSettings.clientLimit)
        let jitters = HerdPolicy.compared.map(\.policy.backoff.jitter)
        #expect(jitters == [.none, .proportional(0.3), .full])
        #expect(HerdPolicy.compared[1].policy == ReconnectPolicy())
    }

    @Test("a herd of which nobody came has a peak of nothing")
    func nobody() throws {
        let report = try herd(3, try fixed(attempts: 0))
        #expect(report.peak.attempts == 0 && report.peakOnReturn.attempts == 0)
        #expect(report.peakOnReturn.second == 60)
    }
}
