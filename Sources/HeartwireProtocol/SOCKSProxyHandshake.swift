/// SOCKS version 5 (RFC 1928) with no authentication or with user name and password (RFC 1929).
///
///     state            the proxy sends              next state       this side answers
///     method           5, 0                         reply            the request
///     method           5, 2                         credentials      user name and password
///     credentials      1, 0                         reply            the request
///     reply            5, 0, 0, an address          over: established
///     any of them      anything else                over: failed
struct SOCKSProxyHandshake: Sendable {
    private enum State: Sendable {
        case method
        case credentials
        case reply
    }

    private static let version: UInt8 = 5
    /// The version of the talk about user name and password (RFC 1929 §2).
    private static let subnegotiation: UInt8 = 1

    private enum Method {
        static let none: UInt8 = 0
        static let userAndPassword: UInt8 = 2
    }

    private enum AddressKind {
        static let ipv4: UInt8 = 1
        static let name: UInt8 = 3
        static let ipv6: UInt8 = 4
    }

    private let request: [UInt8]
    private let login: [UInt8]?
    private var state = State.method
    /// What has arrived of the message that `state` waits for: 262 bytes at the most.
    private var message: [UInt8] = []

    init(_ server: ProxyServer, to url: WebSocketURL) {
        request = Self.request(to: url)
        login = server.user.map { user in
            let (user, password) = (Array(user.utf8), Array((server.password ?? "").utf8))
            // ``ProxyServer`` has seen to it that both lengths fit into a byte.
            return [Self.subnegotiation, UInt8(truncatingIfNeeded: user.count)] + user
                + [UInt8(truncatingIfNeeded: password.count)] + password
        }
    }

    /// What opens the talk: the methods on offer (RFC 1928 §3).
    var greeting: [UInt8] {
        login == nil
            ? [Self.version, 1, Method.none]
            : [Self.version, 2, Method.none, Method.userAndPassword]
    }

    /// CONNECT to an address or, for the proxy to resolve, a name (RFC 1928 §4).
    private static func request(to url: WebSocketURL) -> [UInt8] {
        let address: [UInt8] =
            if let bytes = IPAddressBytes.parse(url.host) {
                [bytes.count == 4 ? AddressKind.ipv4 : AddressKind.ipv6] + bytes
            } else {
                // 253 bytes at the most, which `DomainName` has seen to.
                [AddressKind.name, UInt8(truncatingIfNeeded: url.host.utf8.count)]
                    + Array(url.host.utf8)
            }
        return [version, 1, 0] + address
            + [UInt8(truncatingIfNeeded: url.port >> 8), UInt8(truncatingIfNeeded: url.port)]
    }

    mutating func receive(
        _ bytes: Span<UInt8>, from index: inout Int, answer: inout [UInt8]
    ) -> ProxyHandshake.Outcome? {
        while index < bytes.count {
            message.append(bytes[index])
            index += 1
            if let outcome = judge(answer: &answer) { return outcome }
        }
        return nil
    }

    /// Looks at the message so far. Each byte is judged as it comes, so nobody waits for the rest of nonsense.
    private mutating func judge(answer: inout [UInt8]) -> ProxyHandshake.Outcome? {
        switch state {
        case .method:
            guard message[0] == Self.version else { return .failed(.malformedAnswer) }
            guard message.count == 2 else { return nil }
            return choose(message[1], &answer)
        case .credentials:
            // Some proxies answer with the version of SOCKS here; the status is what matters.
            guard message[0] == Self.subnegotiation || message[0] == Self.version else {
                return .failed(.malformedAnswer)
            }
            guard message.count == 2 else { return nil }
            guard message[1] == 0 else { return .failed(.credentialsRefused) }
            advance(to: .reply, request, &answer)
            return nil
        case .reply:
            return judgeReply()
        }
    }

    private mutating func choose(
        _ method: UInt8, _ answer: inout [UInt8]
    ) -> ProxyHandshake.Outcome? {
        switch (method, login) {
        case (Method.none, _): advance(to: .reply, request, &answer)
        case (Method.userAndPassword, let login?): advance(to: .credentials, login, &answer)
        default: return .failed(.noAcceptableMethod)
        }
        return nil
    }

    private mutating func advance(to next: State, _ bytes: [UInt8], _ answer: inout [UInt8]) {
        state = next
        message = []
        answer += bytes
    }

    /// RFC 1928 §6. Not a byte more than the address is taken: what follows is the server's.
    private func judgeReply() -> ProxyHandshake.Outcome? {
        guard message[0] == Self.version else { return .failed(.malformedAnswer) }
        guard message.count >= 2 else { return nil }
        guard message[1] == 0 else { return .failed(.reply(message[1])) }
        guard message.count >= 5 else { return nil }
        let addressLength: Int
        switch message[3] {
        case AddressKind.ipv4: addressLength = 4
        case AddressKind.ipv6: addressLength = 16
        case AddressKind.name: addressLength = 1 + Int(message[4])
        default: return .failed(.malformedAnswer)
        }
        return message.count == 4 + addressLength + 2 ? .established : nil
    }
}
