/// The servers that are reached without a proxy: what `NO_PROXY` lists.
///
/// Entries are separated by commas or white space. Case does not matter, and neither does a dot at a name's end.
///
/// | entry | means |
/// |---|---|
/// | `*` | every server |
/// | `example.com` | that name, and every name below it |
/// | `.example.com`, `*.example.com` | every name below it, and not itself |
/// | `192.0.2.1`, `2001:db8::1` | that address |
/// | `192.0.2.0/24`, `2001:db8::/32` | every address of that network (RFC 4632) |
/// | `example.com:8080`, `[2001:db8::1]:80`, `192.0.2.0/24:80`, `[2001:db8::]/32:80` | the same, on that port only |
///
/// Addresses are compared with addresses only: no name is looked up for it. An entry that is none of
/// these counts for nothing.
public struct ProxyExceptions: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case everything
        case name(String, includesItself: Bool, port: UInt16?)
        case network([UInt8], prefixLength: Int, port: UInt16?)
    }

    private let rules: [Rule]

    /// Reads a list.
    public init(_ list: String) {
        let entries = list.utf8.split { $0 == UInt8(ascii: ",") || $0 <= 0x20 }
        rules = entries.compactMap { Self.rule(Substring($0)) }
    }

    /// Whether `url`'s server is to be reached directly.
    public func contain(_ url: WebSocketURL) -> Bool {
        guard !rules.isEmpty else { return false }
        let address = IPAddressBytes.parse(url.host)
        return rules.contains { rule in
            switch rule {
            case .everything: true
            case .name(let name, let includesItself, let port):
                address == nil && Self.fits(port, url)
                    && (includesItself && url.host == name || url.host.hasSuffix("." + name))
            case .network(let network, let prefixLength, let port):
                Self.fits(port, url)
                    && address.map { Self.isInside($0, network, prefixLength) } == true
            }
        }
    }

    private static func fits(_ port: UInt16?, _ url: WebSocketURL) -> Bool {
        port == nil || port == url.port
    }

    private static func isInside(_ address: [UInt8], _ network: [UInt8], _ length: Int) -> Bool {
        // An IPv4-mapped address reaches the IPv4 one (RFC 4291 §2.5.5.2).
        let address = network.count == 4 ? IPAddressBytes.unmapped(address) : address
        guard address.count == network.count else { return false }
        return address.indices.allSatisfy { index in
            let bits = max(0, min(8, length - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return address[index] & mask == network[index] & mask
        }
    }

    private static func rule(_ entry: Substring) -> Rule? {
        let text = String(entry)
        if text == "*" { return .everything }
        if let network = network(text) { return network }
        var name = entry
        let hasStar = name.utf8.starts(with: "*.".utf8)
        if hasStar { name = Substring(name.utf8.dropFirst()) }
        let isBelow = name.utf8.first == UInt8(ascii: ".")
        if isBelow { name = Substring(name.utf8.dropFirst()) }
        guard let authority = try? URLAuthority(name), authority.user == nil else { return nil }
        if let address = IPAddressBytes.parse(authority.host) {
            guard !isBelow else { return nil }
            return .network(address, prefixLength: address.count * 8, port: authority.port)
        }
        return .name(authority.host, includesItself: !isBelow, port: authority.port)
    }

    /// An address with a prefix, perhaps with a port behind that, or an IPv6 address without brackets.
    private static func network(_ text: String) -> Rule? {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        guard parts.count == 2 else {
            guard let address = IPAddressBytes.parse(text) else { return nil }
            return .network(address, prefixLength: address.count * 8, port: nil)
        }
        var name = parts[0]
        if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") {
            name = name.dropFirst().dropLast()
        }
        guard let address = IPAddressBytes.parse(String(Substring(name))) else { return nil }
        let numbers = parts[1].split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let length = number(numbers[0]), length <= address.count * 8 else { return nil }
        guard numbers.count == 2 else {
            return .network(address, prefixLength: length, port: nil)
        }
        guard let port = number(numbers[1]).flatMap(UInt16.init(exactly:)), port > 0 else {
            return nil
        }
        return .network(address, prefixLength: length, port: port)
    }

    /// One to five digits.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...5).contains(digits.count), digits.allSatisfy(HTTPSyntax.isDigit) else {
            return nil
        }
        return Int(Substring(digits))
    }
}
