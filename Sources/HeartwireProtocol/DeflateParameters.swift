/// What client and server agreed on for permessage-deflate (RFC 7692 §7.1).
public struct DeflateParameters: Sendable, Hashable {
    /// The name of the extension (§7).
    static let extensionName = "permessage-deflate"

    /// Whether every message of the server begins with an empty window.
    public var serverNoContextTakeover = false
    /// Whether every message of the client begins with an empty window.
    public var clientNoContextTakeover = false
    /// The exponent of the server's window, 8 to 15.
    public var serverMaxWindowBits = 15
    /// The exponent of the client's window, 8 to 15.
    public var clientMaxWindowBits = 15

    /// The full windows, kept from message to message.
    public init() {}

    /// Whether the messages of `sender` may refer to earlier ones.
    func keepsContext(of sender: Role) -> Bool {
        switch sender {
        case .client: !clientNoContextTakeover
        case .server: !serverNoContextTakeover
        }
    }

    /// The exponent of the window of `sender`.
    func windowBits(of sender: Role) -> Int {
        switch sender {
        case .client: clientMaxWindowBits
        case .server: serverMaxWindowBits
        }
    }
}

// MARK: - Parameters as they were sent

/// The four parameters of one element, each seen at most once and each with a lawful value.
///
/// The windows are `nil` where the parameter is missing, and 0 where it stands without a value, which only
/// a client's offer of `client_max_window_bits` may do (§7.1.2.2).
struct DeflateParameterList: Sendable, Hashable {
    /// What is wrong with an element: what was expected and what was seen, as phrases.
    struct Fault: Error, Hashable {
        let clause: String
        let expected: String
        let seen: String
    }

    private(set) var serverNoContextTakeover = false
    private(set) var clientNoContextTakeover = false
    private(set) var serverMaxWindowBits: Int?
    private(set) var clientMaxWindowBits: Int?

    /// - Parameter isOffer: whether a client sent the element; else it is a server's answer.
    init(_ element: ExtensionElement, isOffer: Bool) throws(Fault) {
        for parameter in element.parameters {
            // §7: names are compared as gateways leave them, without regard to case.
            switch String(decoding: parameter.name.utf8.map(HTTPSyntax.lowercased), as: UTF8.self) {
            case "server_no_context_takeover":
                try Self.set(&serverNoContextTakeover, by: parameter, "7.1.1.1")
            case "client_no_context_takeover":
                try Self.set(&clientNoContextTakeover, by: parameter, "7.1.1.2")
            case "server_max_window_bits":
                try Self.set(&serverMaxWindowBits, by: parameter, "7.1.2.1", mayBeBare: false)
            case "client_max_window_bits":
                try Self.set(&clientMaxWindowBits, by: parameter, "7.1.2.2", mayBeBare: isOffer)
            default:
                throw Fault(
                    clause: "7.1",
                    expected: "the four parameters of permessage-deflate and no other",
                    seen: "an unknown parameter")
            }
        }
    }

    private static func set(
        _ flag: inout Bool, by parameter: ExtensionElement.Parameter, _ clause: String
    ) throws(Fault) {
        let name = DisplayText.excerpt(parameter.name)
        guard !flag else {
            throw Fault(clause: "7.1", expected: "\(name) at most once", seen: "it twice")
        }
        guard parameter.value == nil else {
            throw Fault(clause: clause, expected: "\(name) without a value", seen: "a value")
        }
        flag = true
    }

    private static func set(
        _ bits: inout Int?, by parameter: ExtensionElement.Parameter, _ clause: String,
        mayBeBare: Bool
    ) throws(Fault) {
        let name = DisplayText.excerpt(parameter.name)
        guard bits == nil else {
            throw Fault(clause: "7.1", expected: "\(name) at most once", seen: "it twice")
        }
        let expected = "\(name) from 8 to 15, without leading zeros"
        guard let value = parameter.value else {
            guard mayBeBare else {
                throw Fault(clause: clause, expected: expected, seen: "no value")
            }
            return bits = 0
        }
        switch value {
        case "8": bits = 8
        case "9": bits = 9
        case "10": bits = 10
        case "11": bits = 11
        case "12": bits = 12
        case "13": bits = 13
        case "14": bits = 14
        case "15": bits = 15
        default: throw Fault(clause: clause, expected: expected, seen: "another value")
        }
    }
}
