#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts messages and round trips over one stretch of time, with the processor time of the whole process.
struct BenchMeter {
    private static let maximumLatencies = 4_000_000

    private(set) var messages = 0
    /// What came back, where messages may come back in pieces.
    private var pieces = 0
    private var latencies: [Float] = []
    private var wallStart = BenchMeter.wall()
    private var cpuStart = BenchMeter.cpu()

    mutating func count(_ messages: Int = 1) {
        self.messages += messages
    }

    mutating func countPiece() {
        pieces += 1
    }

    mutating func note(latency: Double) {
        if latencies.count < Self.maximumLatencies { latencies.append(Float(latency)) }
    }

    /// The line of the contract.
    var result: String {
        let wall = Self.wall() - wallStart
        let (user, system) = Self.cpu()
        let sorted = latencies.sorted()
        func micros(_ share: Double) -> String {
            guard !sorted.isEmpty else { return "0" }
            return Self.fixed(Double(sorted[Int(Double(sorted.count) * share)]) * 1e6, 2)
        }
        return "RES msgs=\(messages) wall=\(Self.fixed(wall, 6))"
            + " user=\(Self.fixed(user - cpuStart.user, 6)) sys=\(Self.fixed(system - cpuStart.system, 6))"
            + " p50=\(micros(0.5)) p99=\(micros(0.99))"
            + (pieces > messages ? " pieces=\(pieces)\n" : "\n")
    }

    /// Seconds since the beginning, on the clock and of processor time.
    var elapsed: (wall: Double, cpu: Double) {
        let (user, system) = Self.cpu()
        return (Self.wall() - wallStart, user - cpuStart.user + system - cpuStart.system)
    }

    /// Seconds on the monotonic clock.
    static func wall() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// Seconds of processor time that the calling thread has taken.
    static func threadCPU() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private static func cpu() -> (user: Double, system: Double) {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        return (seconds(usage.ru_utime), seconds(usage.ru_stime))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int((max(0, value) * scale).rounded())
        let fraction = String(whole % Int(scale))
        return "\(whole / Int(scale))."
            + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
