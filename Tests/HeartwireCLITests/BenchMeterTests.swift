import Testing

@testable import HeartwireCLI

@Suite("What a measurement counts")
struct BenchMeterTests {
    @Test("The line has the messages, and the pieces only where there were more")
    func line() {
        var meter = BenchMeter()
        for _ in 0..<3 { meter.countPiece() }
        meter.count(3)
        #expect(meter.result.hasPrefix("RES msgs=3 wall="))
        #expect(meter.result.hasSuffix(" p50=0 p99=0\n"))
        for _ in 0..<4 { meter.countPiece() }
        meter.count()
        #expect(meter.result.hasSuffix(" p50=0 p99=0 pieces=7\n"))
    }

    @Test("Latencies are told in microseconds")
    func latencies() {
        var meter = BenchMeter()
        for latency in [0.001, 0.002, 0.003] { meter.note(latency: latency) }
        #expect(meter.result.contains(" p50=2000.00 p99=3000.00\n"))
    }
}
