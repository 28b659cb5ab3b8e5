import HeartwireTesting

/// `heartwire simulate worlds`: lives through the seeds, one after the other, and says what held.
enum WorldsCommand {
    /// Does what `options` ask for. A run that its task's cancellation ends reports the seeds until then.
    static func run(
        _ options: WorldsOptions, output: DescriptorWriter = .standardOutput,
        diagnostics: DescriptorWriter = .standardError,
        simulate: (SimulationSettings, ((String) -> Void)?) -> SimulationReport = live
    ) async -> CommandEnd {
        var journal: JournalFile?
        if let path = options.journal {
            switch JournalFile.open(path, tell: { _ in }) {
            case .success(let file): journal = file
            case .failure(let problem): return .failed("\(problem)")
            }
        }
        let first = options.isFresh ? UInt64.random(in: 0...UInt64(UInt32.max)) : options.first
        var run = SimulationRun(options: options, first: first)
        var line = ProgressLine(
            writer: diagnostics,
            isShown: !options.isVerbose
                && Terminal(descriptor: diagnostics.descriptor).isInteractive
        )
        let trace = trace(options, journal, diagnostics)
        for place in 0..<options.count where !Task.isCancelled {
            let seed = first &+ UInt64(place)
            line.show("[\(place + 1)/\(options.count)] seed \(seed)")
            let report = simulate(run.settings(seed), trace)
            run.add(report, seed: seed)
            if report.violations.isEmpty { continue }
            line.show("seed \(seed) failed; looking for the faults that it needs")
            run.narrow(seed: seed) { simulate($0, nil) }
        }
        line.erase()
        await journal?.finish(within: .seconds(30))
        if let problem = journal?.problem { return .failed(problem) }
        let written = printed(run.text(as: options.format), to: output)
        guard written == .done else { return written }
        return run.failures.isEmpty ? .done : .failed(run.failureLine)
    }

    /// Lives through one world, to its end or to the cancellation of the task.
    private static func live(
        _ settings: SimulationSettings, _ trace: ((String) -> Void)?
    ) -> SimulationReport {
        Simulation(settings).run(trace: trace) { Task.isCancelled }
    }

    private static func trace(
        _ options: WorldsOptions, _ journal: JournalFile?, _ diagnostics: DescriptorWriter
    ) -> ((String) -> Void)? {
        guard options.isVerbose || journal != nil else { return nil }
        return { line in
            journal?.append(line)
            if options.isVerbose { diagnostics.writeDiagnostic(line) }
        }
    }
}
