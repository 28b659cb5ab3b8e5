/// Makes text that came from elsewhere fit to be shown on one line of a terminal or a log.
package enum DisplayText {
    /// The most scalars that an excerpt shows of a foreign text.
    static let limit = 120

    /// `text` with every scalar escaped that could move a cursor, change a colour, or hide or reorder what stands
    /// beside it (field case K12-09). Always one line.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar {
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _ where steers(scalar): shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
    }

    /// The same of at most the first ``limit`` scalars, with a mark where it was cut.
    static func excerpt(_ text: String) -> String {
        let head = text.unicodeScalars.prefix(limit)
        let isCut = head.endIndex < text.unicodeScalars.endIndex
        return escaped(String(String.UnicodeScalarView(head))) + (isCut ? "…" : "")
    }

    /// At most the first `limit` of `bytes` in quotation marks, in visible ASCII, with a mark where they were cut.
    static func quoted(_ bytes: [UInt8], limit: Int) -> String {
        let shown = bytes.prefix(limit).reduce(into: "") { shown, byte in
            switch byte {
            case UInt8(ascii: "\n"): shown += "\\n"
            case UInt8(ascii: "\r"): shown += "\\r"
            case UInt8(ascii: "\t"): shown += "\\t"
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                shown += "\\\(Character(Unicode.Scalar(byte)))"
            case 0x20...0x7E: shown.unicodeScalars.append(Unicode.Scalar(byte))
            default: shown += (byte < 0x10 ? "\\x0" : "\\x") + String(byte, radix: 16)
            }
        }
        return "\"\(shown)\"" + (bytes.count > limit ? "…" : "")
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        // Most text needs no look at the tables of Unicode.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        // The joiners belong to words of several scripts and to composed pictures.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        case .control, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }
}
