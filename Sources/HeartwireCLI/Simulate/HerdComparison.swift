import HeartwireTesting

/// Several policies side by side.
struct HerdComparison {
    let settings: HerdSettings
    let reports: [HerdReport]

    /// The report in this form. Ends with LF.
    func text(as format: SimulateFormat) -> String {
        switch format {
        case .table: table
        case .json: json.compact + "\n"
        }
    }

    // MARK: For people

    private var table: String {
        let outage = DurationArgument.text(settings.outage)
        let head = [
            "policy", "peak/s", "at", "peak/s on return", "at", "last back", "attempts",
            "gave up",
        ]
        let rows = reports.map { report in
            [
                report.policy, Self.grouped(report.peak.attempts), "\(report.peak.second) s",
                Self.grouped(report.peakOnReturn.attempts), "\(report.peakOnReturn.second) s",
                Self.seconds(report.allBack),
                Self.grouped(report.attempts), Self.grouped(report.gaveUp),
            ]
        }
        let lines = [
            "\(Self.grouped(settings.clients)) clients lose their server, which is away for "
                + "\(outage) and then takes \(Self.grouped(settings.capacity)) connections a second.",
            "Times count from its death. Seed \(settings.seed).", "",
        ]
        return lines.joined(separator: "\n") + "\n" + TextTable.text(head, rows)
    }

    /// A number with a comma between each three digits.
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number).reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3), digit != "-" { text = "," + text }
            text = String(digit) + text
        }
        return text
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.milliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    // MARK: For programs

    private var json: JSONText {
        .object([
            "version": .number(1),
            "clients": .number(settings.clients),
            "outage_ms": .number(settings.outage.milliseconds),
            "capacity": .number(settings.capacity),
            "seed": .string("\(settings.seed)"),
            "policies": .array(reports.map(json)),
        ])
    }

    private func json(_ report: HerdReport) -> JSONText {
        .object([
            "policy": .string(report.policy),
            "peak": .number(report.peak.attempts),
            "peak_s": .number(report.peak.second),
            "peak_on_return": .number(report.peakOnReturn.attempts),
            "peak_on_return_s": .number(report.peakOnReturn.second),
            "all_back_ms": .number(report.allBack.milliseconds),
            "attempts": .number(report.attempts),
            "returned": .number(report.returned),
            "gave_up": .number(report.gaveUp),
            "per_second": .array(report.perSecond.map(JSONText.number)),
        ])
    }
}
