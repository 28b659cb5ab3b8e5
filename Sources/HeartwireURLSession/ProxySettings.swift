import HeartwireProtocol

/// A proxy in the terms of `URLSessionConfiguration.connectionProxyDictionary`.
///
/// The keys are the strings behind CFNetwork's constants, which are not declared on every platform.
enum ProxySettings {
    /// What leads every connection through `server`.
    static func dictionary(for server: ProxyServer) -> [String: ProxySetting] {
        let (host, port) = (server.address.host, Int(server.address.port))
        switch server.kind {
        case .http:
            return [
                "HTTPEnable": .number(1), "HTTPProxy": .text(host), "HTTPPort": .number(port),
                "HTTPSEnable": .number(1), "HTTPSProxy": .text(host), "HTTPSPort": .number(port),
            ]
        case .socks5:
            var settings: [String: ProxySetting] = [
                "SOCKSEnable": .number(1), "SOCKSProxy": .text(host), "SOCKSPort": .number(port),
            ]
            settings["kCFStreamPropertySOCKSUser"] = server.user.map { .text($0) }
            settings["kCFStreamPropertySOCKSPassword"] = server.password.map { .text($0) }
            return settings
        }
    }
}

/// One value of the dictionary.
enum ProxySetting: Hashable {
    case number(Int)
    case text(String)

    /// The value as the dictionary takes it.
    var value: any Hashable & Sendable {
        switch self {
        case .number(let number): number
        case .text(let text): text
        }
    }
}
