import HeartwireTesting

/// `heartwire simulate herd`: what many clients do to a server that returns, under several policies.
enum HerdCommand {
    /// Does what `options` ask for, or nothing when its task is cancelled.
    static func run(
        _ options: HerdOptions, policies: [HerdPolicy] = HerdPolicy.compared,
        output: DescriptorWriter = .standardOutput, diagnostics: DescriptorWriter = .standardError
    ) async -> CommandEnd {
        var line = ProgressLine(
            writer: diagnostics, isShown: Terminal(descriptor: diagnostics.descriptor).isInteractive
        )
        var reports: [HerdReport] = []
        for policy in policies {
            line.show("\(options.settings.clients) clients, \(policy.name)")
            let simulation = HerdSimulation(options.settings, policy)
            guard let report = simulation.run(isStopped: { Task.isCancelled }) else { break }
            reports.append(report)
        }
        line.erase()
        guard reports.count == policies.count else { return .failed("stopped before the end") }
        let comparison = HerdComparison(settings: options.settings, reports: reports)
        var ends = [printed(comparison.text(as: options.format), to: output)]
        if let path = options.svg { ends.append(ReportFile.write(comparison.svg, to: path)) }
        return ends.first { $0 != .done } ?? .done
    }
}
