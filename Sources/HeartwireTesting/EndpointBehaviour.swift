public import HeartwireProtocol

/// What the controllable endpoint does with one connection (promise A1).
///
/// Any client in any language can ask for a behaviour in the query of its URL, see
/// ``init(target:)``. Times after the opening count from the moment when the 101 was queued.
public struct EndpointBehaviour: Sendable, Hashable {
    /// How pings are answered.
    public enum Pong: Sendable, Hashable {
        /// At once, with the ping's payload, as RFC 6455 §5.5.3 has it.
        case on
        /// Not at all.
        case off
        /// Twice, with the right payload both times.
        case double
        /// Once, with a payload that was not asked for.
        case wrong
        /// Rightly, but only after this time.
        case late(Duration)
    }

    /// Text messages that are sent right after the opening.
    public struct Hello: Sendable, Hashable {
        /// How many messages.
        public var count: Int
        /// How many ASCII characters each of them has.
        public var size: Int

        /// Describes the messages.
        public init(count: Int, size: Int) {
            self.count = count
            self.size = size
        }
    }

    /// A Close frame that is sent of the endpoint's own accord.
    public struct Close: Sendable, Hashable {
        /// The code, `nil` for an empty Close frame. One that may not stand on the wire is sent all the same.
        public var code: CloseCode?
        /// The reason, at most ``EndpointBehaviour/reasonByteLimit`` bytes of UTF-8.
        public var reason: String
        /// How long after the opening, and after all of the hello messages.
        public var delay: Duration

        /// Describes a Close frame.
        public init(code: CloseCode?, reason: String = "", after delay: Duration = .zero) {
            self.code = code
            self.reason = reason
            self.delay = delay
        }
    }

    /// How a stream ends that ends without a Close frame.
    public enum DropKind: String, Sendable, Hashable, CaseIterable {
        /// With FIN, after what was queued.
        case fin
        /// With RST.
        case rst
    }

    /// The end of the stream without a Close frame.
    public struct Drop: Sendable, Hashable {
        /// How it ends.
        public var kind: DropKind
        /// How long after the opening.
        public var delay: Duration

        /// Describes the end.
        public init(_ kind: DropKind, after delay: Duration = .zero) {
            self.kind = kind
            self.delay = delay
        }
    }

    /// What a client gets in place of the 101.
    public enum Refusal: Sendable, Hashable {
        /// An HTTP answer with this status, and a Retry-After of so many seconds.
        case status(Int, retryAfterSeconds: Int?)
        /// RST.
        case reset
        /// Nothing, for as long as the client waits.
        case silence
        /// Bytes that are no HTTP.
        case garbage
        /// A 101 whose Sec-WebSocket-Accept belongs to another key.
        case badAccept
    }

    /// How pings are answered.
    public var pong = Pong.on
    /// Whether messages are sent back as they came.
    public var echoes = true
    /// Whether they go to the other open connections that share theirs as well, as in a room. Only where ``echoes``
    /// is set.
    public var sharesEchoes = false
    /// Whether an offer of permessage-deflate is taken up (RFC 7692).
    public var deflates = true
    /// What is sent after the opening, if anything.
    public var hello: Hello?
    /// The Close frame to send of the endpoint's own accord, if any.
    public var close: Close?
    /// The end of the stream without a closing handshake, if any.
    public var drop: Drop?
    /// How long after the opening the endpoint keeps the socket but neither reads nor writes any more.
    public var freezeDelay: Duration?
    /// What comes in place of the 101, if anything.
    public var refusal: Refusal?
    /// How long the answer to the opening request is held back.
    public var answerDelay = Duration.zero

    /// Answers pings, echoes messages and leaves the closing to the client.
    public init() {}

    /// The most that the hello messages may come to.
    public static let helloByteLimit = 64 << 20
    /// The most hello messages.
    public static let helloCountLimit = 1_000_000
    /// The longest time that can be asked for, in milliseconds: a day.
    public static let millisecondLimit = 86_400_000
    /// The longest Retry-After that can be asked for, in seconds: a week.
    public static let retryAfterSecondLimit = 604_800
    /// The longest reason that fits into a Close frame (RFC 6455 §5.5).
    public static let reasonByteLimit = 123
}

/// Why a query asks for no behaviour that the endpoint has.
public struct EndpointBehaviourError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key at fault, made printable and cut to ``keyLengthLimit`` characters.
    public let key: String
    /// What is allowed there.
    public let explanation: String

    /// How much of a key is repeated.
    public static let keyLengthLimit = 32

    init(key: some StringProtocol, _ explanation: String) {
        let printable = key.unicodeScalars.prefix(Self.keyLengthLimit).map { scalar in
            (0x21...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        self.key = String(printable)
        self.explanation = explanation
    }

    /// One line for people, such as `pong: expected on, off, double, wrong or late:MS`.
    public var description: String { "\(key): \(explanation)" }
}
