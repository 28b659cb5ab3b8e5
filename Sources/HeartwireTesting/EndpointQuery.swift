import HeartwireProtocol

extension EndpointBehaviour {
    /// Reads the behaviour from a request target such as `/any/path?pong=off&close=1001@500`.
    ///
    /// The path says nothing. The keys, each at most once, with times in milliseconds:
    ///
    ///     pong=on|off|double|wrong|late:MS
    ///     echo=on|off|all              all: also to the other connections that asked for it
    ///     deflate=on|off               whether an offer of compression is taken up
    ///     hello=COUNTxSIZE             COUNT text messages of SIZE ASCII characters
    ///     close=CODE[:reason][@MS]     close=none for an empty Close frame
    ///     drop=fin|rst[@MS]
    ///     freeze@MS                    also freeze=MS and freeze=@MS
    ///     refuse=STATUS|reset|silence|garbage|badaccept
    ///     retry-after=S                seconds, beside refuse=STATUS
    ///     delay=MS                     before the answer to the opening request
    ///
    /// `@MS` counts from the opening. `&`, `=`, `:` and `@` with digits after it have their meaning before percent
    /// encoding is undone, so a reason can hold them as `%26` and so on; a `+` is a `+`.
    ///
    /// - Throws: ``EndpointBehaviourError`` for unknown keys, values out of range, keys that come
    ///   twice, and pairs of which one could never happen.
    public init(target: String) throws(EndpointBehaviourError) {
        self.init()
        guard let mark = target.firstIndex(of: "?") else { return }
        var seen: Set<String> = []
        var retryAfterSeconds: Int?
        for item in target[target.index(after: mark)...].split(separator: "&") {
            let (key, value) = Self.keyAndValue(of: item)
            guard seen.insert(String(key)).inserted else {
                throw EndpointBehaviourError(key: key, "may be given only once")
            }
            switch key {
            case "pong": pong = try Self.pong(value)
            case "echo": (echoes, sharesEchoes) = try Self.echo(value)
            case "deflate": deflates = try Self.isOn(value, key: "deflate")
            case "hello": hello = try Self.hello(value)
            case "close": close = try Self.close(value)
            case "drop": drop = try Self.drop(value)
            case "freeze": freezeDelay = try Self.freeze(value)
            case "refuse": refusal = try Self.refusal(value)
            case "retry-after": retryAfterSeconds = try Self.retryAfter(value)
            case "delay":
                answerDelay = try Self.time(value, key: key, or: "expected milliseconds, delay=MS")
            default:
                throw EndpointBehaviourError(
                    key: key,
                    "unknown key; known are pong, echo, hello, close, drop, freeze, refuse, "
                        + "retry-after, delay, deflate")
            }
        }
        try checkRefusal(seen, retryAfterSeconds)
        try checkOrder()
    }

    /// `freeze@500` is a key with its time and no `=`; an `@` behind a `=` belongs to the value.
    private static func keyAndValue(of item: Substring) -> (key: Substring, value: Substring) {
        if let equals = item.firstIndex(of: "=") {
            return (item[..<equals], item[item.index(after: equals)...])
        }
        guard let at = item.firstIndex(of: "@") else { return (item, "") }
        return (item[..<at], item[at...])
    }
}

// MARK: Values

extension EndpointBehaviour {
    private static func pong(_ value: Substring) throws(EndpointBehaviourError) -> Pong {
        let allowed = "expected on, off, double, wrong or late:MS"
        switch value {
        case "on": return .on
        case "off": return .off
        case "double": return .double
        case "wrong": return .wrong
        default:
            guard value.hasPrefix("late:") else {
                throw EndpointBehaviourError(key: "pong", allowed)
            }
            return .late(try time(value.dropFirst("late:".count), key: "pong", or: allowed))
        }
    }

    private static func echo(
        _ value: Substring
    ) throws(EndpointBehaviourError) -> (echoes: Bool, shares: Bool) {
        switch value {
        case "on": return (true, false)
        case "off": return (false, false)
        case "all": return (true, true)
        default: throw EndpointBehaviourError(key: "echo", "expected on, off or all")
        }
    }

    private static func isOn(
        _ value: Substring, key: Substring
    ) throws(EndpointBehaviourError) -> Bool {
        switch value {
        case "on": return true
        case "off": return false
        default: throw EndpointBehaviourError(key: key, "expected on or off")
        }
    }

    private static func hello(_ value: Substring) throws(EndpointBehaviourError) -> Hello {
        let parts = value.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = number(parts[0], upTo: helloCountLimit), count > 0,
            let size = number(parts[1], upTo: helloByteLimit), size <= helloByteLimit / count
        else {
            throw EndpointBehaviourError(
                key: "hello",
                "expected COUNTxSIZE with 1 to \(helloCountLimit) messages and at most "
                    + "\(helloByteLimit) bytes in all")
        }
        return Hello(count: count, size: size)
    }

    private static func close(_ value: Substring) throws(EndpointBehaviourError) -> Close {
        let allowed = "expected CODE[:reason][@MS] with a code up to 65535, or none[@MS]"
        let (body, delay) = try splitTime(value, key: "close")
        if body == "none" { return Close(code: nil, after: delay) }
        let codeEnd = body.firstIndex(of: ":") ?? body.endIndex
        guard let code = number(body[..<codeEnd], upTo: Int(UInt16.max)) else {
            throw EndpointBehaviourError(key: "close", allowed)
        }
        guard let reason = PercentEncoding.decode(body[codeEnd...].dropFirst()),
            reason.utf8.count <= reasonByteLimit
        else {
            throw EndpointBehaviourError(
                key: "close",
                "expected a reason of at most \(reasonByteLimit) bytes of percent-encoded UTF-8")
        }
        return Close(
            code: CloseCode(rawValue: UInt16(truncatingIfNeeded: code)), reason: reason,
            after: delay)
    }

    private static func drop(_ value: Substring) throws(EndpointBehaviourError) -> Drop {
        let (body, delay) = try splitTime(value, key: "drop")
        guard let kind = DropKind(rawValue: String(body)) else {
            throw EndpointBehaviourError(key: "drop", "expected fin[@MS] or rst[@MS]")
        }
        return Drop(kind, after: delay)
    }

    private static func freeze(_ value: Substring) throws(EndpointBehaviourError) -> Duration {
        let digits = value.hasPrefix("@") ? value.dropFirst() : value
        return try time(digits, key: "freeze", or: "expected milliseconds, freeze@MS")
    }

    private static func refusal(_ value: Substring) throws(EndpointBehaviourError) -> Refusal {
        switch value {
        case "reset": return .reset
        case "silence": return .silence
        case "garbage": return .garbage
        case "badaccept": return .badAccept
        default:
            guard let status = number(value, upTo: 599), status >= 200 else {
                throw EndpointBehaviourError(
                    key: "refuse",
                    "expected a status from 200 to 599, reset, silence, garbage or badaccept")
            }
            return .status(status, retryAfterSeconds: nil)
        }
    }

    private static func retryAfter(_ value: Substring) throws(EndpointBehaviourError) -> Int {
        guard let seconds = number(value, upTo: retryAfterSecondLimit) else {
            throw EndpointBehaviourError(
                key: "retry-after", "expected seconds, at most \(retryAfterSecondLimit)")
        }
        return seconds
    }

    /// Takes `@MS` off the end; without it the time is zero.
    private static func splitTime(
        _ value: Substring, key: Substring
    ) throws(EndpointBehaviourError) -> (body: Substring, delay: Duration) {
        guard let at = value.lastIndex(of: "@") else { return (value, .zero) }
        let digits = value[value.index(after: at)...]
        let delay = try time(digits, key: key, or: "expected milliseconds after the @")
        return (value[..<at], delay)
    }

    private static func time(
        _ digits: Substring, key: Substring, or explanation: String
    ) throws(EndpointBehaviourError) -> Duration {
        guard let milliseconds = number(digits, upTo: millisecondLimit) else {
            throw EndpointBehaviourError(
                key: key, "\(explanation), at most \(millisecondLimit) (a day)")
        }
        return .milliseconds(milliseconds)
    }

    /// Digits only: no sign, no blanks, no more than `limit`.
    private static func number(_ digits: Substring, upTo limit: Int) -> Int? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            number <= limit
        else { return nil }
        return number
    }
}

// MARK: Contradictions

extension EndpointBehaviour {
    /// What is asked of a connection that is open.
    private static let openKeys = ["pong", "echo", "deflate", "hello", "close", "drop", "freeze"]

    private mutating func checkRefusal(
        _ seen: Set<String>, _ retryAfterSeconds: Int?
    ) throws(EndpointBehaviourError) {
        if let refusal {
            for key in Self.openKeys where seen.contains(key) {
                throw EndpointBehaviourError(
                    key: key, "contradicts refuse, after which there is no open connection")
            }
            if refusal == .silence, seen.contains("delay") {
                throw EndpointBehaviourError(
                    key: "delay", "contradicts refuse=silence, which gives no answer at all")
            }
        }
        guard let retryAfterSeconds else { return }
        guard case .status(let status, _)? = refusal else {
            throw EndpointBehaviourError(key: "retry-after", "stands only beside refuse=STATUS")
        }
        refusal = .status(status, retryAfterSeconds: retryAfterSeconds)
    }

    /// After a freeze nothing is done any more, and after a drop nothing can be frozen or sent.
    private func checkOrder() throws(EndpointBehaviourError) {
        if let freezeDelay {
            if let close, close.delay >= freezeDelay {
                throw EndpointBehaviourError(key: "close", "contradicts freeze, which comes first")
            }
            guard drop == nil else {
                throw EndpointBehaviourError(
                    key: "drop", "contradicts freeze: only one of them can happen")
            }
        }
        if let close, let drop, close.delay >= drop.delay {
            throw EndpointBehaviourError(key: "close", "contradicts drop, which comes first")
        }
    }
}
