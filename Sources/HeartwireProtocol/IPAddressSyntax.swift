/// Whether a text is an IP address, in the strict forms of RFC 3986 §3.2.2.
enum IPAddressSyntax {
    /// Four decimal numbers of at most 255 each, without leading zeros.
    static func isIPv4(_ text: some Collection<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.allSatisfy(HTTPSyntax.isDigit) else {
                    return false
                }
                let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
                return value <= 255 && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }

    /// Eight groups of hexadecimal digits, of which one run of zeros may be written `::` and the last two as
    /// IPv4. Zones (`%eth0`) are not taken: RFC 6455 has no place for them.
    static func isIPv6(_ text: [UInt8]) -> Bool {
        guard let gap = firstGap(in: text) else { return groupCount(ArraySlice(text)) == 8 }
        guard let front = groupCount(text[..<gap], mayEndInIPv4: false),
            let back = groupCount(text[(gap + 2)...])
        else { return false }
        return front + back <= 7
    }

    /// Where the first `::` begins. A second one leaves an empty group, which is refused there.
    private static func firstGap(in text: [UInt8]) -> Int? {
        let colon = UInt8(ascii: ":")
        return text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
    }

    /// How many 16-bit groups stand here, none in an empty text; `nil` when one is malformed.
    private static func groupCount(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> Int? {
        guard !text.isEmpty else { return 0 }
        let groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (position, group) in groups.enumerated() {
            if (1...4).contains(group.count), group.allSatisfy({ HTTPSyntax.hexValue($0) != nil }) {
                count += 1
            } else if mayEndInIPv4, position == groups.count - 1, isIPv4(group) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }
}
