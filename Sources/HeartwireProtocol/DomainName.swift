/// Turns a host's name into what the DNS, TLS and `Host` use: ASCII, in lower case (RFC 5890 §2.3).
///
/// Names beyond ASCII follow IDNA 2008 in the shape that browsers give it: lower case, composed, one
/// `xn--` label for each label that is not ASCII. Scalars that compatibility mapping would change
/// (full-width letters, ligatures, invisible joiners) are refused and not mapped: a name that looks like another
/// one should not quietly become it.
enum DomainName {
    /// The most bytes of a name in text form (RFC 1035 §2.3.4 less the length bytes and the root).
    static let longestName = 253
    /// The most bytes of a label.
    static let longestLabel = 63

    /// The name in ASCII without a trailing dot, and whether it had one that means something.
    static func ascii(
        _ name: Substring
    ) throws(WebSocketURLError) -> (name: String, isRooted: Bool) {
        guard !name.isEmpty else { throw .missingHost }
        var labels = name.unicodeScalars.split(
            omittingEmptySubsequences: false, whereSeparator: isDot)
        let isRooted = labels.last?.isEmpty == true
        if isRooted { labels.removeLast() }
        var texts: [String] = []
        for label in labels { texts.append(try ascii(label: label)) }
        let host = texts.joined(separator: ".")
        guard host.utf8.count <= longestName else { throw .hostTooLong(byteCount: host.utf8.count) }
        let isAddress = IPAddressSyntax.isIPv4(host.utf8)
        guard let last = texts.last, !isNumber(last) || isAddress else { throw .illegalHost }
        // An address has no root: no search list applies to it, and resolvers do not know it with a dot.
        return (host, isRooted && !isAddress)
    }

    /// RFC 3490 §3.1: the ideographic full stops separate labels too.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{3002}", "\u{FF0E}", "\u{FF61}": true
        default: false
        }
    }

    /// Whether a last label makes the name an address in some resolver's eyes: `127.1`, `0x7f000001`.
    private static func isNumber(_ label: String) -> Bool {
        label.utf8.allSatisfy(HTTPSyntax.isDigit)
            || label.hasPrefix("0x")
                && label.utf8.dropFirst(2).allSatisfy { HTTPSyntax.hexValue($0) != nil }
    }

    private static func ascii(
        label: Substring.UnicodeScalarView
    ) throws(WebSocketURLError) -> String {
        guard !label.isEmpty else { throw .illegalHost }
        var text = String(label).lowercased()
        if !text.utf8.allSatisfy({ $0 < 0x80 }) {
            // What begins so stands for letters beyond ASCII, and has none of its own (RFC 5890 §2.3.2.1).
            guard !text.hasPrefix("xn--") else { throw .illegalHost }
            // Each scalar takes a byte at least: what is longer than this cannot be saved by encoding.
            let count = text.unicodeScalars.count
            guard count <= longestLabel else { throw .labelTooLong(byteCount: count) }
            // File systems and keyboards give `u` and a diaeresis, the DNS knows `ü` (RFC 5891 §5.3).
            let scalars = Composition.composed(text.unicodeScalars)
            guard scalars.allSatisfy(isPermitted), scalars.first.map(isMark) != true else {
                throw .illegalHost
            }
            text = "xn--" + Punycode.encode(scalars)
        }
        guard text.utf8.allSatisfy(isNameByte), text != "xn--" else { throw .illegalHost }
        guard text.utf8.count <= longestLabel else {
            throw .labelTooLong(byteCount: text.utf8.count)
        }
        return text
    }

    /// Letters, digits, the hyphen, and the underscore, which is no host name's but in daily use.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isPermitted(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isNameByte(UInt8(truncatingIfNeeded: scalar.value)) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            return false
        default: break
        }
        // It stands where bytes were that are no text: the name that was meant is not known.
        if scalar == "\u{FFFD}" { return false }
        // RFC 5892 §2.6 keeps these two, which the mapping would turn into other letters.
        if scalar == "ß" || scalar == "ς" { return true }
        return !scalar.properties.changesWhenNFKCCaseFolded
    }

    /// RFC 5891 §4.2.3.2: a mark needs a letter to stand on.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
