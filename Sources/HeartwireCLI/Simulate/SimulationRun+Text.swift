import HeartwireSession
import HeartwireTesting

extension SimulationRun {
    /// The report in this form. Ends with LF.
    func text(as format: SimulateFormat) -> String {
        switch format {
        case .table: table
        case .json: json.compact + "\n"
        }
    }

    // MARK: For people

    private var table: String {
        var lines = columns(figures)
        lines += ["", "faults (\(sum.faultCount))"]
        lines += columns(SimulationFault.allCases.map { ("  " + $0.rawValue, sum.faults[$0] ?? 0) })
        lines += ["", "what held"]
        lines += SimulationViolation.Rule.allCases.map { rule in
            let count = failures.count { failure in
                failure.violations.contains { $0.rule == rule }
            }
            return "  \(count == 0 ? "ok  " : "FAIL") \(rule.rawValue)"
                + (count == 0 ? "" : " in \(count) worlds")
        }
        for failure in failures {
            lines += ["", "seed \(failure.seed)"]
            lines += failure.violations.map { "  \($0)" }
            lines.append("  replay: \(replay(failure))")
        }
        lines += ["", failures.isEmpty ? "\(verdict): \(summary)" : "\(verdict): \(failureLine)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// A run that was stopped before its end has shown nothing yet.
    private var verdict: String {
        if !failures.isEmpty { return "fail" }
        return sum.seeds == options.count ? "pass" : "stopped"
    }

    private var summary: String {
        guard sum.seeds > 0 else { return "no world was lived through" }
        let last = first &+ UInt64(sum.seeds - 1)
        return "seeds \(first) to \(last), every rule held in each of \(sum.seeds) worlds"
    }

    private var figures: [(String, Int)] {
        [
            ("first seed", Int(clamping: first)), ("seeds", sum.seeds),
            ("simulated hours", Int(sum.simulated.components.seconds / 3_600)),
            ("clients", sum.clients), ("connection attempts", sum.attempts),
            ("connections", sum.connections), ("messages stored", sum.stored),
            ("arrivals of those", sum.arrived), ("repeated arrivals", sum.repeated),
            ("messages sent once", sum.sent), ("messages of the server", sum.pushed),
            ("journal lines", sum.lines),
        ]
    }

    private func columns(_ rows: [(String, Int)]) -> [String] {
        let left = (rows.map(\.0.count).max() ?? 0) + 2
        let right = rows.map { "\($0.1)".count }.max() ?? 0
        return rows.map { name, number in
            let digits = "\(number)"
            let gap = left - name.count + right - digits.count
            return name + String(repeating: " ", count: gap) + digits
        }
    }

    // MARK: For programs

    private var json: JSONText {
        .object([
            "version": .number(1),
            "verdict": .string(verdict),
            "first_seed": .number(Int(clamping: first)),
            "seeds": .number(sum.seeds),
            "simulated_seconds": .number(Int(sum.simulated.components.seconds)),
            "clients": .number(sum.clients),
            "attempts": .number(sum.attempts),
            "connections": .number(sum.connections),
            "stored": .number(sum.stored),
            "arrived": .number(sum.arrived),
            "repeated": .number(sum.repeated),
            "sent": .number(sum.sent),
            "pushed": .number(sum.pushed),
            "journal_lines": .number(sum.lines),
            "digest": .string(String(sum.digest, radix: 16)),
            "faults": .array(
                SimulationFault.allCases.map { fault in
                    .object([
                        "name": .string(fault.rawValue), "count": .number(sum.faults[fault] ?? 0),
                    ])
                }),
            "failures": .array(failures.map(failure)),
        ])
    }

    private func failure(_ failure: Failure) -> JSONText {
        .object([
            "seed": .string("\(failure.seed)"),
            "violations": .array(
                failure.violations.map { violation in
                    .object([
                        "rule": .string(violation.rule.rawValue),
                        "t_ns": .number(Int(clamping: violation.time.nanoseconds)),
                        "detail": .string(violation.detail),
                    ])
                }),
            "replay": .string(replay(failure)),
        ])
    }
}
