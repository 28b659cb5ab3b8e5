/// One element of `Sec-WebSocket-Extensions` (RFC 6455 §9.1): a name and its parameters in order.
///
///     extension-list  = 1#extension
///     extension       = token *( ";" extension-param )
///     extension-param = token [ "=" (token | quoted-string) ]
///
/// White space is allowed around every separator, the `=` too, as RFC 2616 §2.1 has it, whose grammar
/// RFC 6455 uses. What a quoted string says must be a token itself.
struct ExtensionElement: Sendable, Hashable {
    /// One parameter; `value` is `nil` when there is no `=`.
    struct Parameter: Sendable, Hashable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// Reads all the fields of a head as the one list that they form (RFC 9110 §5.3), in time linear in their
    /// length.
    ///
    /// - Returns: `nil` when a field breaks the grammar, for which the handshake fails (§9.1).
    static func list(_ fields: [String]) -> [ExtensionElement]? {
        var elements: [ExtensionElement] = []
        for field in fields {
            var reader = ExtensionReader(field)
            guard reader.readList(into: &elements) else { return nil }
        }
        return elements
    }
}

/// Goes through one field value, byte by byte and never back.
private struct ExtensionReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Empty elements count for nothing (RFC 9110 §5.6.1), and a list of nothing else for no extension.
    mutating func readList(into elements: inout [ExtensionElement]) -> Bool {
        while true {
            while take(UInt8(ascii: ",")) {}
            guard current != nil else { return true }
            guard let element = readElement() else { return false }
            elements.append(element)
            guard current == nil || take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func readElement() -> ExtensionElement? {
        guard let name = readToken() else { return nil }
        var element = ExtensionElement(name: name)
        while take(UInt8(ascii: ";")) {
            guard let name = readToken() else { return nil }
            var parameter = ExtensionElement.Parameter(name: name)
            if take(UInt8(ascii: "=")) {
                guard let value = readValue() else { return nil }
                parameter.value = value
            }
            element.parameters.append(parameter)
        }
        skipWhitespace()
        return element
    }

    /// Passes over `separator` if it stands next, and over the white space on both sides.
    private mutating func take(_ separator: UInt8) -> Bool {
        skipWhitespace()
        guard current == separator else { return false }
        index &+= 1
        skipWhitespace()
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = current, HTTPSyntax.isWhitespace(byte) { index &+= 1 }
    }

    private mutating func readToken() -> String? {
        let start = index
        while let byte = current, HTTPSyntax.isTokenByte(byte) { index &+= 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func readValue() -> String? {
        guard current == UInt8(ascii: "\"") else { return readToken() }
        index &+= 1
        var value: [UInt8] = []
        while let byte = current {
            index &+= 1
            switch byte {
            case UInt8(ascii: "\""):
                return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current, HTTPSyntax.isTokenByte(escaped) else { return nil }
                value.append(escaped)
                index &+= 1
            default:
                guard HTTPSyntax.isTokenByte(byte) else { return nil }
                value.append(byte)
            }
        }
        return nil
    }
}
