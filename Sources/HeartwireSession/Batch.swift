public import HeartwireProtocol

/// Messages that are gathered and go out as one, when there are enough of them or the first has waited long
/// enough (promise S5).
///
/// Theory of operation. A batch is a value that is told what comes and what time it is, and answers with what
/// goes out. Messages leave in the order in which they came.
///
///     told              what waits                        what goes out
///     add               nothing, or the same kind         nothing; all, where a bound is reached
///     add               another kind                      all that waited, then as above
///     add               more bytes than a batch takes     all that waited, then as above
///     tick              began at least `age` ago          all
///     flush             anything                          all
public struct Batch: Sendable {
    /// What goes out as one message, and what it was made of.
    public struct Parcel: Sendable, Hashable {
        /// The messages, in order.
        public let messages: [Message]
        /// What goes out for them.
        public let payload: Message

        /// States what goes out for which messages.
        public init(messages: [Message], payload: Message) {
            self.messages = messages
            self.payload = payload
        }
    }

    /// When it is full.
    public let bounds: BatchBounds
    /// How it becomes one message.
    public let encoding: BatchEncoding
    private var messages: [Message] = []
    private var isText = false
    /// The payloads of what waits.
    private var bytes = 0
    private var began = MonotonicInstant.origin

    /// Makes a batch that is empty.
    public init(_ bounds: BatchBounds = BatchBounds(), encoding: BatchEncoding) {
        self.bounds = bounds
        self.encoding = encoding
    }

    /// How many messages wait.
    public var count: Int { messages.count }

    /// When ``tick(at:)`` matters next; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        guard !messages.isEmpty, let age = bounds.age else { return nil }
        return began.advanced(by: age)
    }

    /// Takes a message in. Answers what goes out now: nothing, one parcel, or two where the message is full by
    /// itself and could not join what waited.
    ///
    /// - Throws: ``BatchRefusal`` where the encoding cannot carry the message; nothing has changed then.
    public mutating func add(
        _ message: Message, at now: MonotonicInstant
    ) throws(BatchRefusal) -> [Parcel] {
        try encoding.check(message)
        var parcels: [Parcel] = []
        if !canJoin(message), let parcel = flush() { parcels.append(parcel) }
        if messages.isEmpty { began = now }
        isText = message.isText
        bytes = bytes &+ message.byteCount
        messages.append(message)
        if isFull, let parcel = flush() { parcels.append(parcel) }
        return parcels
    }

    /// Time has passed. Answers what goes out, at the deadline and after it.
    public mutating func tick(at now: MonotonicInstant) -> Parcel? {
        guard let nextDeadline, nextDeadline <= now else { return nil }
        return flush()
    }

    /// Answers all that waits; `nil` when that is nothing.
    public mutating func flush() -> Parcel? {
        guard !messages.isEmpty else { return nil }
        let parcel = Parcel(messages: messages, payload: encoding.payload(of: messages))
        messages = []
        bytes = 0
        return parcel
    }

    private func canJoin(_ message: Message) -> Bool {
        message.isText == isText
            && encoding.size(count: count &+ 1, bytes: bytes &+ message.byteCount) <= bounds.bytes
    }

    private var isFull: Bool {
        count >= bounds.count || encoding.size(count: count, bytes: bytes) >= bounds.bytes
    }
}

extension Message {
    fileprivate var isText: Bool {
        switch self {
        case .text: true
        case .binary: false
        }
    }
}
