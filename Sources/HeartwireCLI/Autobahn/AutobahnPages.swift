/// The URLs of a fuzzing server, which each do one thing to whoever connects.
struct AutobahnPages: Sendable, Hashable {
    /// The server, without a trailing slash.
    let base: String
    /// The name of the report.
    let agent: String

    /// Sends the number of cases as one text.
    var caseCount: String { "\(base)/getCaseCount" }

    /// Writes the report.
    var updateReports: String { "\(base)/updateReports?agent=\(encodedAgent)" }

    /// Runs one case.
    func run(_ selection: AutobahnCase) -> String {
        switch selection {
        case .number(let number): "\(base)/runCase?case=\(number)&agent=\(encodedAgent)"
        case .id(let id): "\(base)/runCase?casetuple=\(id)&agent=\(encodedAgent)"
        }
    }

    /// The name with everything but RFC 3986's unreserved characters percent-encoded.
    private var encodedAgent: String {
        var text = ""
        for byte in agent.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}

/// How a case is asked for.
enum AutobahnCase: Sendable, Hashable, CustomStringConvertible {
    /// By its place among the cases that the server has selected; the first is 1.
    case number(Int)
    /// By the suite's own name for it.
    case id(String)

    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .id(let id): id
        }
    }
}
