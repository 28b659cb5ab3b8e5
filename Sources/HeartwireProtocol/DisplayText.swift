/// Makes text that came from elsewhere fit to be shown on one line of a terminal or a log.
enum DisplayText {
    /// The most characters that are shown of a foreign text.
    static let limit = 120

    /// `text` with every scalar that steers a terminal or reorders a line written as `\u{…}`, and
    /// cut after ``limit`` scalars.
    static func escaped(_ text: String) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return shown + "…" }
            count += 1
            if steers(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }
}
