import HeartwireSession

/// Puts snapshots together out of what the kernel tells, and says what to ask next.
///
/// Theory of operation. An announcement is only taken for the news that something may have changed; what is so
/// now is read as three lists, one after another: links, addresses, routes. So nothing depends on hearing every
/// announcement (the kernel does not make one for each route that falls with its link) and words that were lost
/// because the socket was full cost nothing but another reading. A change is reported when a whole reading differs
/// from the last one. News that come during a reading lead to another one; so do lists that changed while they
/// were told, and those are not compared.
struct NetlinkReader {
    /// What the owner must do.
    enum Step: Equatable {
        /// Nothing.
        case none
        /// Send these bytes to the kernel.
        case ask([UInt8])
        /// Report a change. Another reading may be wanted: see ``isStale``.
        case report(NetworkPath)
    }

    /// The lists of a reading, in their order.
    private static let lists = [
        NetlinkMessage.Kind.getLink, NetlinkMessage.Kind.getAddress, NetlinkMessage.Kind.getRoute,
    ]

    /// The address of our socket, by which answers are told from what others have caused.
    let port: UInt32
    /// Whether the last whole reading may be out of date, so that ``begin()`` is worth while.
    private(set) var isStale = true
    private var known: NetworkSnapshot?
    private var reading = NetworkSnapshot()
    private var list: Int?
    /// Whether a list of this reading changed while it was told.
    private var isTorn = false
    private var sequence: UInt32 = 0

    init(port: UInt32) {
        self.port = port
    }

    /// Whether a reading is under way.
    var isReading: Bool { list != nil }

    /// Begins a reading. The step asks for its first list.
    mutating func begin() -> Step {
        isStale = false
        isTorn = false
        reading = NetworkSnapshot()
        return ask(for: 0)
    }

    /// Announcements were lost, or an answer was.
    mutating func lostWords() {
        isStale = true
        list = nil
    }

    /// Takes one datagram.
    mutating func take(_ bytes: [UInt8]) -> Step {
        var step = Step.none
        for message in NetlinkMessage.parse(bytes) {
            if message.port == port {
                if message.sequence == sequence, let next = takeAnswer(message) { step = next }
            } else if isNews(message) {
                isStale = true
            }
        }
        return step
    }

    /// Where there are more routes than are kept, only the default ones are news: a router's table never rests.
    private func isNews(_ message: NetlinkMessage) -> Bool {
        guard NetworkSnapshot.concerns(message) else { return false }
        return known?.isFull != true || !NetworkSnapshot.isParticularRoute(message)
    }

    /// `nil` where the list goes on.
    private mutating func takeAnswer(_ message: NetlinkMessage) -> Step? {
        guard let list else { return nil }
        if message.flags & NetlinkMessage.Flags.interrupted != 0 {
            isTorn = true
            isStale = true
        }
        switch message.type {
        case NetlinkMessage.Kind.error:
            lostWords()
            return Step.none
        case NetlinkMessage.Kind.done:
            return list + 1 < Self.lists.count ? ask(for: list + 1) : finish()
        default:
            reading.add(message)
            return nil
        }
    }

    private mutating func ask(for index: Int) -> Step {
        list = index
        sequence &+= 1
        return .ask(NetlinkMessage.dumpRequest(Self.lists[index], sequence: sequence))
    }

    private mutating func finish() -> Step {
        list = nil
        guard !isTorn else { return .none }
        defer { known = reading }
        guard let known, known != reading else { return .none }
        return .report(reading.path)
    }
}
