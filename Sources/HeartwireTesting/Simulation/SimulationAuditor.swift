import HeartwireSession

/// Writes down what happens in a simulated world and what should not have. Lives in its domain.
final class SimulationAuditor {
    /// How many violations are kept: the first tells the most.
    static let violationLimit = 16

    private(set) var violations: [SimulationViolation] = []
    private(set) var digest = SimulationDigest()
    /// How many lines the world's journal has.
    private(set) var lines = 0
    private let executor: VirtualExecutor
    private let trace: ((String) -> Void)?

    init(_ executor: VirtualExecutor, trace: ((String) -> Void)?) {
        self.executor = executor
        self.trace = trace
    }

    /// The world's time.
    var now: MonotonicInstant { executor.now() }

    /// One line of the world's journal.
    func note(_ line: String) {
        lines += 1
        digest.add(line.utf8)
        trace?(line)
    }

    /// What the world itself did, such as a fault.
    func note(_ what: String, life: Int, number: Int = 0) {
        let time = executor.now().nanoseconds
        note("{\"t_ns\":\(time),\"life\":\(life),\"world\":\"\(what)\",\"number\":\(number)}")
    }

    /// Bytes that went over a line.
    func note(_ bytes: UnsafeRawBufferPointer) {
        digest.add(UInt64(bytes.count))
        digest.add(bytes)
    }

    func violated(_ rule: SimulationViolation.Rule, _ detail: @autoclosure () -> String) {
        guard violations.count < Self.violationLimit else { return }
        let violation = SimulationViolation(
            time: executor.now(), rule: rule, detail: detail())
        violations.append(violation)
        trace?("{\"t_ns\":\(violation.time.nanoseconds),\"violated\":\"\(rule.rawValue)\"}")
    }
}

/// The world's own timers, so that at the end what is left is the client's.
final class SimulationAlarms {
    private let executor: VirtualExecutor
    private var timers: [Int: TimerID] = [:]
    private var last = 0
    private var isOver = false

    init(_ executor: VirtualExecutor) {
        self.executor = executor
    }

    func after(_ delay: Duration, _ action: @escaping () -> Void) {
        guard !isOver else { return }
        last += 1
        let number = last
        timers[number] = executor.schedule(at: executor.now().advanced(by: delay)) {
            guard self.timers.removeValue(forKey: number) != nil else { return }
            action()
        }
    }

    /// No alarm rings any more, and none is set.
    func cancelAll() {
        isOver = true
        for timer in timers.values { executor.cancel(timer) }
        timers = [:]
    }
}
