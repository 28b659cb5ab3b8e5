/// IP addresses as their bytes in network order, out of the strict forms of ``IPAddressSyntax``.
enum IPAddressBytes {
    /// Four bytes for IPv4, sixteen for IPv6; `nil` when `text` is no address.
    static func parse(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        if IPAddressSyntax.isIPv4(bytes) { return ipv4(bytes[...]) }
        guard IPAddressSyntax.isIPv6(bytes) else { return nil }
        return ipv6(bytes)
    }

    /// The IPv4 address that an IPv4-mapped IPv6 one stands for (RFC 4291 §2.5.5.2); any other as it is.
    static func unmapped(_ address: [UInt8]) -> [UInt8] {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return address.count == 16 && address.starts(with: prefix)
            ? Array(address[12...]) : address
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.split(separator: UInt8(ascii: ".")).map { number in
            UInt8(truncatingIfNeeded: number.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) })
        }
    }

    /// The zeros that `::` leaves out are put back between the groups before and behind it.
    private static func ipv6(_ text: [UInt8]) -> [UInt8] {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else { return groups(text[...]) }
        let (front, back) = (groups(text[..<gap]), groups(text[(gap + 2)...]))
        return front + [UInt8](repeating: 0, count: max(0, 16 - front.count - back.count)) + back
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.split(separator: UInt8(ascii: ":")).flatMap { group in
            if group.contains(UInt8(ascii: ".")) { return ipv4(group) }
            let value = group.reduce(0) { $0 << 4 | Int(HTTPSyntax.hexValue($1) ?? 0) }
            return [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        }
    }
}
