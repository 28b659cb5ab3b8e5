import Foundation
import HeartwireTesting

extension HerdComparison {
    private static let width = 860
    private static let panelHeight = 170
    private static let left = 90
    private static let right = 20
    private static let top = 86
    private static let gap = 46

    /// The attempts per second over time, one panel for each policy, all to one scale, which is logarithmic. Ends with LF.
    var svg: String {
        let height = Self.top + reports.count * (Self.panelHeight + Self.gap) + 8
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.width) \(height)\" "
                + "width=\"\(Self.width)\" height=\"\(height)\" "
                + "font-family=\"system-ui, sans-serif\" font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            text(
                "Connection attempts per second at the server", x: 16, y: 26,
                style: "font-size=\"17\" font-weight=\"600\" fill=\"#1a1a1a\""),
            text(
                "\(Self.grouped(settings.clients)) clients; the server is away for "
                    + "\(DurationArgument.text(settings.outage)) (grey), then takes "
                    + "\(Self.grouped(settings.capacity)) connections a second (dashed)",
                x: 16, y: 46, style: "fill=\"#555555\""),
        ]
        for (place, report) in reports.enumerated() {
            lines += panel(report, y: Self.top + place * (Self.panelHeight + Self.gap))
        }
        lines.append(
            text(
                "seconds since the server's death", x: Self.width / 2, y: height - 8,
                style: "fill=\"#555555\" text-anchor=\"middle\""))
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var seconds: Int { max(1, reports.map(\.perSecond.count).max() ?? 1) }

    /// The powers of ten on the scale.
    private var decades: Int {
        let most = reports.map(\.peak.attempts).max() ?? 1
        var decades = 1
        var power = 10
        while power < most {
            decades += 1
            power *= 10
        }
        return decades
    }

    private func panel(_ report: HerdReport, y: Int) -> [String] {
        let bottom = y + Self.panelHeight
        let back = x(Int(settings.outage.components.seconds))
        let shade =
            "<rect x=\"\(Self.left)\" y=\"\(y)\" width=\"\(decimal(back - Double(Self.left)))\" "
            + "height=\"\(Self.panelHeight)\" fill=\"#ececec\"/>"
        var lines = [shade]
        for decade in 0...decades {
            let line = decimal(self.y(decadeValue(decade), bottom: bottom))
            lines.append(
                "<path d=\"M\(Self.left) \(line)H\(Self.width - Self.right)\" stroke=\"#d8d8d8\"/>")
            if decade.isMultiple(of: 2) {
                lines.append(
                    text(
                        Self.grouped(decadeValue(decade)), x: Self.left - 8,
                        y: Int(self.y(decadeValue(decade), bottom: bottom)) + 4,
                        style: "fill=\"#555555\" text-anchor=\"end\""))
            }
        }
        let capacity = decimal(self.y(settings.capacity, bottom: bottom))
        lines.append(
            "<path d=\"M\(decimal(back)) \(capacity)H\(Self.width - Self.right)\" "
                + "stroke=\"#888888\" stroke-dasharray=\"5 4\"/>")
        lines.append(bars(report, bottom: bottom))
        lines += ticks(y: bottom)
        let summary =
            "\(report.policy): peak \(Self.grouped(report.peak.attempts))/s, on return "
            + "\(Self.grouped(report.peakOnReturn.attempts))/s, "
            + "\(Self.grouped(report.attempts)) attempts in all"
        lines.append(
            text(
                summary, x: Self.left, y: y - 8, style: "font-weight=\"600\" fill=\"#1a1a1a\""))
        return lines
    }

    /// One bar for each second in which something came.
    private func bars(_ report: HerdReport, bottom: Int) -> String {
        let width = decimal(max(1, x(1) - x(0)))
        var path = ""
        for (second, attempts) in report.perSecond.enumerated() where attempts > 0 {
            let top = y(attempts, bottom: bottom)
            path += "M\(decimal(x(second))) \(bottom)V\(decimal(top))h\(width)V\(bottom)z"
        }
        return "<path d=\"\(path)\" fill=\"#b3261e\"/>"
    }

    private func ticks(y: Int) -> [String] {
        let steps = [10, 20, 30, 60, 120, 300, 600, 1_200]
        let step = steps.first { seconds / $0 <= 12 } ?? 3_600
        return stride(from: 0, through: seconds, by: step).map { second in
            text(
                "\(second)", x: Int(x(second)), y: y + 17,
                style: "fill=\"#555555\" text-anchor=\"middle\"")
        }
    }

    private func x(_ second: Int) -> Double {
        let room = Double(Self.width - Self.left - Self.right)
        return Double(Self.left) + room * Double(second) / Double(seconds)
    }

    /// The height of a number on the scale; 1 and less lie at the bottom.
    private func y(_ number: Int, bottom: Int) -> Double {
        Double(bottom) - Double(Self.panelHeight) * log10(Double(max(1, number))) / Double(decades)
    }

    private func decadeValue(_ decade: Int) -> Int {
        (0..<decade).reduce(1) { value, _ in value * 10 }
    }

    private func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    private func text(_ words: String, x: Int, y: Int, style: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" \(style)>\(words)</text>"
    }
}
