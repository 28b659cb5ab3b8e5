public import HeartwireProtocol
public import HeartwireSession

/// How a client keeps what ``WebSocketClient/deliver(_:sessionBound:)`` promises to deliver.
public struct OutboxConfiguration: Sendable {
    /// When a message counts as arrived (promise D3).
    public enum Confirmation: Sendable {
        /// When it was handed to the transport. It may still be lost with the connection.
        case written
        /// When the pong of a ping that was sent after it has arrived: the peer's WebSocket layer has read it. That says
        /// nothing about what the peer's application did with it.
        case fence
        /// When the closure reads its id out of a message that came in. The peer must learn the id, so put it
        /// into what is sent: see ``OutboxConfiguration/envelope``. Called in the client's domain for every
        /// message, so it must return quickly.
        case acknowledgement(@Sendable (Message) -> [DeliveryID])
    }

    /// How much is kept and what happens to one message more.
    public var bounds = OutboxBounds()

    /// How much of what waits has its contents in memory, where the store gives back what it keeps, as the one on the
    /// disk does. What lies beyond is read shortly before it goes out, and again for each time that it does.
    public var window = OutboxWindow()

    /// When a message counts as arrived. Default: ``Confirmation/fence``.
    public var confirmation = Confirmation.fence

    /// Makes what goes out of what was stored, each time that it goes out: the place to add the id and whether it
    /// may be a duplicate. `nil` sends the message as it was stored. Called in the client's domain, so
    /// it must return quickly.
    public var envelope: (@Sendable (OutboxEntry) -> Message)?

    /// Makes the store when the client is made.
    let makeStore: @Sendable () -> any OutboxStore

    /// Keeps messages in `store`, which must not be open elsewhere.
    public init(store: any OutboxStore) {
        makeStore = { store }
    }

    private init(makeStore: @escaping @Sendable () -> any OutboxStore) {
        self.makeStore = makeStore
    }

    /// Keeps messages as long as the client lives: they survive reconnects.
    public static var memory: OutboxConfiguration {
        OutboxConfiguration { MemoryOutboxStore() }
    }

    /// Keeps messages in the file at `path`, which is made unless it is there: they survive the process and a loss
    /// of power. What an earlier client left there is delivered first.
    public static func sqlite(at path: String) -> OutboxConfiguration {
        OutboxConfiguration { SQLiteOutboxStore(path: path) }
    }
}

extension OutboxConfiguration.Confirmation {
    /// The kind, without the closure.
    var kind: Outbox.Confirmation {
        switch self {
        case .written: .written
        case .fence: .fence
        case .acknowledgement: .acknowledgement
        }
    }

    /// The closure, where there is one.
    var reader: (@Sendable (Message) -> [DeliveryID])? {
        switch self {
        case .written, .fence: nil
        case .acknowledgement(let reader): reader
        }
    }
}

/// What a client's outbox has done since the client was made.
public struct OutboxStatus: Sendable, Hashable {
    /// Messages that are not settled, those of earlier processes included.
    public var waiting = 0
    /// What they weigh in bytes (``OutboxBounds/bytes``).
    public var waitingBytes = 0
    /// Messages that were taken over from the store.
    public var restored = 0
    /// Messages that ``WebSocketClient/deliver(_:sessionBound:)`` has promised.
    public var accepted = 0
    /// Messages that were refused: the outbox was full, or the store failed.
    public var refused = 0
    /// Messages that were confirmed.
    public var confirmed = 0
    /// Messages that were given up because of their age.
    public var expired = 0
    /// Messages that made room for newer ones.
    public var droppedByOverflow = 0
    /// Messages that were given up for another reason.
    public var rejected = 0
    /// How often a message went out that had gone out before, or may have.
    public var redelivered = 0

    /// Nothing has happened.
    public init() {}

    mutating func count(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .confirmed: confirmed += 1
        case .expired: expired += 1
        case .rejected(.droppedByOverflow): droppedByOverflow += 1
        case .rejected(.sessionEnded), .rejected(.unsendable), .rejected(.unreadable):
            rejected += 1
        }
    }
}
