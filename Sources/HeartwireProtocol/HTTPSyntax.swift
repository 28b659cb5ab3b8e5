/// The small pieces of HTTP's grammar that the opening handshake needs (RFC 9110 §5.6).
enum HTTPSyntax {
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let tab: UInt8 = 0x09

    /// Whether `byte` may stand in a token: a method, a field name, a subprotocol (RFC 9110 §5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether `bytes` form a token, which has at least one byte.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// Whether `byte` may stand in a field value or a reason phrase: everything but the controls,
    /// of which only the tab is lawful (RFC 9110 §5.5).
    static func isFieldValueByte(_ byte: UInt8) -> Bool {
        byte == tab || (byte >= space && byte != 0x7F)
    }

    /// Whether `byte` is optional white space, OWS (RFC 9110 §5.6.3).
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    /// Whether `byte` belongs to the end of a line, CR or LF (RFC 9112 §2.2).
    static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == carriageReturn || byte == lineFeed
    }

    /// Whether `byte` is a decimal digit.
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// What a hexadecimal digit of either case stands for; `nil` for any other byte.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// `byte` with an ASCII capital turned into a small letter.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Whether two strings are the same but for the case of ASCII letters: how names and the tokens
    /// of `Upgrade` and `Connection` are compared (RFC 6455 §4.1).
    static func equalsIgnoringCase(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool
    {
        one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    /// Whether two strings are the same byte for byte. Swift's `==` goes by canonical equivalence, in which
    /// the Kelvin sign is a K: too generous for what a peer has to prove.
    static func equalsExactly(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    /// `bytes` without the white space around them.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes
        while let first = slice.first, isWhitespace(first) { slice.removeFirst() }
        while let last = slice.last, isWhitespace(last) { slice.removeLast() }
        return slice
    }

    /// The elements of a comma-separated list, trimmed. Empty elements count for nothing
    /// (RFC 9110 §5.6.1), and a comma within a quoted string separates nothing.
    static func listElements(_ value: String) -> [String] {
        var elements: [String] = []
        var element: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                appendTrimmed(element, to: &elements)
                element.removeAll(keepingCapacity: true)
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            element.append(byte)
        }
        appendTrimmed(element, to: &elements)
        return elements
    }

    private static func appendTrimmed(_ element: [UInt8], to elements: inout [String]) {
        let slice = trimmed(ArraySlice(element))
        guard !slice.isEmpty else { return }
        elements.append(String(decoding: slice, as: UTF8.self))
    }

    /// Decodes `%41` into `A`; every other byte stands for itself, `+` too (RFC 3986 §2.1).
    /// `nil` when a percent sign is not followed by two hexadecimal digits, or when the result is not UTF-8.
    static func percentDecoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = source.next().flatMap(hexValue),
                let low = source.next().flatMap(hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
