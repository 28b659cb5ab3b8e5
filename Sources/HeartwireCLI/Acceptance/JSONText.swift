/// A JSON value that is written with its members in the order given, so that two reports can be
/// compared line by line.
indirect enum JSONText: Sendable {
    /// A whole number.
    case number(Int)
    /// Any text at all.
    case string(String)
    /// Values in order.
    case array([JSONText])
    /// Members in order.
    case object(KeyValuePairs<String, JSONText>)

    /// The value in one line (RFC 8259).
    var compact: String {
        switch self {
        case .number(let number): "\(number)"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { "\(Self.quoted($0.key)):\($0.value.compact)" }
                .joined(separator: ",") + "}"
        }
    }

    /// The text between quotes. Escapes what RFC 8259 §7 demands, and besides what a terminal or a
    /// line-based reader could stumble over: DEL, C1, U+2028 and U+2029.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x0A: quoted += "\\n"
            case 0x0D: quoted += "\\r"
            case 0x09: quoted += "\\t"
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
