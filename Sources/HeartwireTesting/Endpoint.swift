public import HeartwireProtocol
public import HeartwireSession
public import HeartwireSocket

/// A WebSocket server that does what it is told, wrong things too (promise A1).
///
/// It stands on the project's own engine and takes any channel that is up: of a ``VirtualNetwork``
/// in virtual time, or of a TCP listener. It lives in its executor's domain; that is what makes
/// `@unchecked Sendable` true. A connection keeps its endpoint alive until it ends.
public final class Endpoint: @unchecked Sendable {
    /// How long a client may take to ask, and to answer a Close frame.
    public static let patience = Duration.seconds(10)
    /// How long a connection is kept that is frozen or met with silence.
    public static let keepTime = Duration.milliseconds(EndpointBehaviour.millisecondLimit)
    /// The most connections at a time; further ones are reset.
    public static let connectionLimit = 20_000

    /// The domain.
    public let executor: any SessionExecutor
    /// Who decides about connections whose request comes from now on.
    public var script: EndpointScript
    /// Sees each message with its contents, ahead of its echo; the journal has none.
    public var messageHandler: ((EndpointConnection, Message) -> Void)?
    /// How often what happened.
    public internal(set) var counters = EndpointCounters()
    let random: any RandomSource
    let limits: Limits
    let compression: Compression
    private let journal: ((EndpointEvent) -> Void)?
    private let start: MonotonicInstant
    private var living: [Int: EndpointConnection] = [:]

    /// Makes an endpoint that waits for channels.
    ///
    /// - Parameters:
    ///   - executor: The domain in which it lives.
    ///   - random: Where the wrong keys of `refuse=badaccept` and the garbage come from.
    ///   - behaviour: Who decides how a connection is treated.
    ///   - limits: What a client may make it hold.
    ///   - compression: Whether and how offers of permessage-deflate are taken up, where the behaviour
    ///     does not forbid it.
    ///   - journal: Hears of every event, in the domain, as it happens.
    public init(
        executor: any SessionExecutor, random: any RandomSource,
        behaviour: EndpointScript = .byQuery, limits: Limits = Limits(),
        compression: Compression = .deflate(), journal: ((EndpointEvent) -> Void)? = nil
    ) {
        self.executor = executor
        self.random = random
        self.script = behaviour
        self.limits = limits
        self.compression = compression
        self.journal = journal
        start = executor.now()
    }

    /// The connections that have not ended, in the order in which they were accepted.
    public var connections: [EndpointConnection] {
        living.values.sorted { $0.number < $1.number }
    }

    /// Takes over a channel that is up. Must be called in the domain.
    public func accept(_ channel: any ByteChannel) {
        guard living.count < Self.connectionLimit else { return channel.abort(reset: true) }
        counters.accepted += 1
        let connection = EndpointConnection(self, number: counters.accepted, channel: channel)
        living[connection.number] = connection
        connection.start()
    }

    /// Drops every connection with RST. Must be called in the domain.
    public func dropAll() {
        for connection in connections {
            connection.drop(.rst)
        }
    }

    /// Gives a message to the others that share theirs.
    func share(_ message: Message, from sender: EndpointConnection) {
        for other in connections where other !== sender { other.pass(on: message) }
    }

    func forget(_ connection: EndpointConnection) {
        living[connection.number] = nil
    }

    /// Whether anybody is told of each message.
    var isWatched: Bool { journal != nil || messageHandler != nil }

    func record(_ number: Int, _ kind: EndpointEvent.Kind) {
        counters.count(kind)
        guard let journal else { return }
        let time = start.duration(to: executor.now())
        journal(EndpointEvent(time: time, connection: number, kind: kind))
    }
}

/// How often what happened to an ``Endpoint``.
public struct EndpointCounters: Sendable, Hashable {
    /// Channels that were handed over.
    public var accepted = 0
    /// Opening handshakes that succeeded.
    public var opened = 0
    /// Requests that got anything but a right 101.
    public var refused = 0
    /// Connections that are over, whether they had opened or not.
    public var closed = 0
    /// Messages that came.
    public var messages = 0
    /// Bytes in those messages.
    public var messageBytes = 0
    /// Pings that came.
    public var pings = 0
    /// Pongs that came.
    public var pongs = 0

    /// All of them zero.
    public init() {}

    /// How many connections are there now.
    public var living: Int { accepted - closed }

    mutating func count(_ kind: EndpointEvent.Kind) {
        switch kind {
        case .opened: opened += 1
        case .refused: refused += 1
        case .ended: closed += 1
        case .message(_, let bytes):
            messages += 1
            messageBytes &+= bytes
        case .ping: pings += 1
        case .pong: pongs += 1
        // `accepted` is counted by the endpoint itself, before there is a number to record it under.
        case .accepted, .requested, .closeReceived, .closeSent, .dropped, .frozen: return
        }
    }
}
