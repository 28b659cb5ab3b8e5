// Runs what Benchmarks/check counts and times.
//
// usage: MicroBench list | count NAME OPERATIONS | time [NAME]…
//
// `list` prints each name with its reference, between tabs. `count` does so many operations and prints
// nothing: its instructions are counted from outside. `time` prints name, nanoseconds an operation, reference, the
// reference's nanoseconds, how many times the reference's time that is, and gigabytes a second (0 where there are no
// bytes): the medians of rounds in which both take turns, in processor time.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@main
enum MicroBench {
    private static let rounds = 7
    private static let roundNanoseconds = 10_000_000

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "list" where words.count == 1:
            for micro in Micro.all { print(micro.name, micro.reference, separator: "\t") }
        case "count" where words.count == 3:
            guard let count = Int(words[2]), count > 0 else { misused() }
            micro(words[1]).prepare()(count)
        case "time":
            let names = words.dropFirst()
            for micro in names.isEmpty ? Micro.all : names.map(micro) { time(micro) }
        default: misused()
        }
    }

    private static func misused() -> Never {
        misused("usage: MicroBench list | count NAME OPERATIONS | time [NAME]...")
    }

    private static func misused(_ words: String) -> Never {
        let line = words + "\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
        exit(2)
    }

    private static func micro(_ name: String) -> Micro {
        guard let micro = Micro.named(name) else {
            misused("MicroBench: no benchmark has the name \(name)")
        }
        return micro
    }

    private static func time(_ micro: Micro) {
        let reference = Self.micro(micro.reference)
        let (body, referenceBody) = (micro.prepare(), reference.prepare())
        let (count, referenceCount) = (enough(body), enough(referenceBody))
        var times: [Double] = []
        var referenceTimes: [Double] = []
        var ratios: [Double] = []
        for _ in 0..<rounds {
            times.append(Double(nanoseconds { body(count) }) / Double(count))
            let taken = nanoseconds { referenceBody(referenceCount) }
            referenceTimes.append(Double(taken) / Double(referenceCount))
            ratios.append(times[times.count - 1] / max(referenceTimes[times.count - 1], 0.001))
        }
        let each = median(times)
        print(
            micro.name, each, reference.name, median(referenceTimes), median(ratios),
            micro.bytes > 0 ? Double(micro.bytes) / each : 0, separator: "\t")
    }

    /// How many operations fill a round.
    private static func enough(_ body: (Int) -> Void) -> Int {
        var count = 1
        while true {
            let taken = nanoseconds { body(count) }
            if taken >= roundNanoseconds { return count }
            count *= taken * 10 < roundNanoseconds ? 8 : 2
        }
    }

    private static func nanoseconds(_ body: () -> Void) -> Int {
        let start = clock()
        body()
        return clock() - start
    }

    private static func clock() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
