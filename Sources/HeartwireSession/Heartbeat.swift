/// One connection's pulse: when to ping, and when to give the connection up (promises H1–H15).
///
/// Theory of operation. The machine is a value. It does no I/O, starts no task and reads no clock:
/// its owner tells it what happened and at which instant, and runs the action that comes back.
/// ``nextDeadline`` says when ``tick(at:)`` matters next, so the owner sleeps exactly until then.
/// Everything that belongs to a connection is told with the generation of that connection; a
/// wrong generation or a wrong phase changes nothing.
///
/// A ping's verdict depends on that ping alone. Its deadline runs from the moment the ping is asked
/// for, so a blocked writer cannot postpone it. A pong is in time only before the deadline; at the
/// deadline it is late, whichever of pong and tick is told first.
///
/// A tick that is overdue by more than the tolerance means that this machine slept, which is no
/// proof that the peer died. Then one fresh ping, the probe, decides. No sleep saves the
/// connection twice: a probe whose deadline has passed ends it, however late the tick.
///
/// While the owner does not read from the network, because its consumer is slow, a missing pong says
/// nothing. No verdict is passed until reading goes on; then a probe replaces what was awaited. A
/// suspension is such a pause, and behind it a probe always decides (L2).
///
///     state        told                         new state     action
///     idle         connect                      connecting    –
///     connecting   opened(g)                    resting       –
///     resting      tick, ping due               awaiting      sendPing
///     resting      probe                        awaiting *    sendPing
///     resting      fence                        awaiting      sendPing
///     awaiting     pong(g, id) before deadline  resting       –
///     awaiting     tick at the deadline         closed        close(heartbeatTimeout)
///     awaiting     tick after a sleep           awaiting *    sendPing, once
///     awaiting     probe                        awaiting *    sendPing
///     awaiting *   probe                        awaiting *    –, the probe that is out decides
///     resting      readingPaused(g)             paused        –
///     awaiting     readingPaused(g)             paused        –
///     paused       probe                        paused        –, but readingResumed then probes
///     any of these suspended(g)                 paused        –, but readingResumed then probes
///     paused       readingResumed(g)            awaiting *    sendPing, when a ping was out or is due
///     paused       readingResumed(g)            resting       –, otherwise
///     any but idle, closed:  failed(g, cause)   closed        close(cause)
///     any but idle, closed:  closed(g)          closed        –
///     any          connect                      connecting    –
///
/// `*` marks a probe. What the table does not name changes nothing.
public struct Heartbeat<Instant: HeartbeatInstant>: Sendable {
    /// Where the machine stands.
    public enum Phase: Sendable, Hashable {
        /// Before the first connection.
        case idle
        /// A connection was begun and is not open yet.
        case connecting
        /// The connection is open and its pulse is taken.
        case open
        /// The connection is over.
        case closed
    }

    /// What the owner must do.
    public enum Action: Sendable, Hashable {
        /// Ping the peer. The pong must be told with the same generation and id.
        case sendPing(Generation, PingID)
        /// Drop the connection at once, without a closing handshake (H15).
        case close(Generation, Cause)
    }

    /// Why the machine gave a connection up.
    public enum Cause: Sendable, Hashable {
        /// No pong in time for a ping.
        case heartbeatTimeout
        /// The owner told of a failure, in these words.
        case failure(String)
    }

    /// Each case is followed only by those that the table names.
    private enum State: Sendable {
        case idle
        case connecting
        case open(Pulse)
        case closed
    }

    private enum Pulse: Sendable {
        /// The next ping is due at the instant.
        case resting(due: Instant)
        /// A pong must come before the deadline.
        case awaiting(PingID, deadline: Instant, isProbe: Bool)
        /// Nothing is read. `due` is when the next ping is due, `nil` when a probe must follow.
        case paused(due: Instant?)
    }

    /// The settings.
    public let configuration: Configuration
    /// The current connection, or the last one when it is over.
    public private(set) var generation: Generation
    /// The newest ping that was asked for; `PingID(0)` before the first.
    public private(set) var lastPing: PingID
    private var state: State

    /// Makes a machine that has had no connection.
    ///
    /// - Parameters:
    ///   - configuration: the settings.
    ///   - lastPing: the newest ping id that is used up, when this machine takes over from another.
    public init(_ configuration: Configuration, after lastPing: PingID = PingID(0)) {
        self.configuration = configuration
        self.lastPing = lastPing
        generation = .none
        state = .idle
    }

    /// Where the machine stands.
    public var phase: Phase {
        switch state {
        case .idle: .idle
        case .connecting: .connecting
        case .open: .open
        case .closed: .closed
        }
    }

    /// When ``tick(at:)`` matters next; `nil` when it does not (H11).
    public var nextDeadline: Instant? {
        guard case .open(let pulse) = state else { return nil }
        switch pulse {
        case .resting(let due): return due
        case .awaiting(_, let deadline, _): return deadline
        case .paused: return nil
        }
    }

    /// The ping whose pong is awaited, if any; there is at most one (H3).
    public var awaitedPing: PingID? {
        guard case .open(.awaiting(let id, _, _)) = state else { return nil }
        return id
    }

    /// Whether the awaited pong is late at `now`, so that the next ``tick(at:)`` decides.
    func isVerdictDue(at now: Instant) -> Bool {
        guard case .open(.awaiting(_, let deadline, _)) = state else { return false }
        return now >= deadline
    }

    /// Whether the awaited pong is that of a probe: the connection was in doubt before its ping went out.
    public var isProbing: Bool {
        guard case .open(.awaiting(_, _, let isProbe)) = state else { return false }
        return isProbe
    }
}

// What the owner tells about connections.
extension Heartbeat {
    /// A connection is begun: gives it the next generation and forgets the last one's deadline (H7).
    public mutating func connect() -> Generation {
        generation = generation.next
        state = .connecting
        return generation
    }

    /// A connection is begun that has its generation from elsewhere.
    ///
    /// - Returns: whether it was taken; a generation that is not newer than the current one changes nothing.
    @discardableResult
    public mutating func connect(as newer: Generation) -> Bool {
        guard newer > generation else { return false }
        generation = newer
        state = .connecting
        return true
    }

    /// The connection is open: the first ping is due one whole interval from now (H2).
    public mutating func opened(_ opened: Generation, at now: Instant) {
        guard opened == generation, case .connecting = state else { return }
        rest(from: now)
    }

    /// The connection failed. The first failure decides (H10): it gives the one close action.
    public mutating func failed(_ failed: Generation, _ words: String) -> Action? {
        guard failed == generation, isAlive else { return nil }
        state = .closed
        return .close(failed, .failure(words))
    }

    /// The connection is over and nothing needs to be done about it.
    public mutating func closed(_ closed: Generation) {
        guard closed == generation, isAlive else { return }
        state = .closed
    }

    private var isAlive: Bool {
        switch state {
        case .idle, .closed: false
        case .connecting, .open: true
        }
    }
}

// What the owner tells about an open connection.
extension Heartbeat {
    /// Time has come to `now`. Only a tick at or after ``nextDeadline`` does anything (H5).
    public mutating func tick(at now: Instant) -> Action? {
        guard case .open(let pulse) = state else { return nil }
        switch pulse {
        case .resting(let due):
            guard now >= due else { return nil }
            return ping(at: now, isProbe: hasSlept(since: due, until: now))
        case .awaiting(_, let deadline, let isProbe):
            guard now >= deadline else { return nil }
            guard isProbe || !hasSlept(since: deadline, until: now) else {
                return ping(at: now, isProbe: true)
            }
            state = .closed
            return .close(generation, .heartbeatTimeout)
        case .paused:
            return nil
        }
    }

    /// The pong for `id` arrived, or the pong for whichever ping is out when `id` is `nil`.
    /// At the deadline it is late (H4); for another ping it changes nothing (H9).
    public mutating func pong(_ ponged: Generation, _ id: PingID? = nil, at now: Instant) {
        guard ponged == generation,
            case .open(.awaiting(let awaited, let deadline, _)) = state,
            id == nil || id == awaited, now < deadline
        else { return }
        rest(from: now)
    }

    /// A frame that is no pong arrived. Counts only when the settings say so (H13), like a pong before the deadline,
    /// and not for a probe: it may have lain in the kernel since before the doubt (L2).
    public mutating func frameReceived(_ received: Generation, at now: Instant) {
        guard configuration.countsInboundFrames, received == generation, !isProbing,
            let deadline = nextDeadline, now < deadline
        else { return }
        rest(from: now)
    }

    /// Asks for a fresh ping at once, such as after a sleep or a change of the network path (L2, L3).
    /// It takes the place of a ping that is out: the older pong no longer counts. A probe that is out goes on,
    /// so that doubts that follow one another cannot put its verdict off.
    /// While nothing is read, the probe waits until reading goes on.
    public mutating func probe(at now: Instant) -> Action? {
        guard case .open(let pulse) = state else { return nil }
        switch pulse {
        case .awaiting(_, _, isProbe: true):
            return nil
        case .resting, .awaiting:
            return ping(at: now, isProbe: true)
        case .paused:
            state = .open(.paused(due: nil))
            return nil
        }
    }

    /// A pong is wanted for its own sake: it proves that the peer has read what was sent before the ping. Where
    /// no ping is out and frames are read, the next one goes out now instead of when it is due.
    public mutating func fence(at now: Instant) -> Action? {
        guard case .open(.resting(let due)) = state else { return nil }
        return now < due ? ping(at: now, isProbe: false) : tick(at: now)
    }

    /// The owner stopped reading: no verdict is passed until ``readingResumed(_:at:)``.
    public mutating func readingPaused(_ paused: Generation) {
        guard paused == generation, case .open(let pulse) = state else { return }
        switch pulse {
        case .resting(let due): state = .open(.paused(due: due))
        case .awaiting: state = .open(.paused(due: nil))
        case .paused: return
        }
    }

    /// The owner is about to sleep: nothing falls due and no verdict is passed until
    /// ``readingResumed(_:at:)``, which then probes in any case (L1, L2).
    public mutating func suspended(_ suspended: Generation) {
        guard suspended == generation, case .open = state else { return }
        state = .open(.paused(due: nil))
    }

    /// The owner reads again. A fresh probe decides when a ping was out or has come due meanwhile;
    /// otherwise nothing was missed and the rest goes on.
    public mutating func readingResumed(_ resumed: Generation, at now: Instant) -> Action? {
        guard resumed == generation, case .open(.paused(let due)) = state else { return nil }
        guard let due, now < due else { return ping(at: now, isProbe: true) }
        state = .open(.resting(due: due))
        return nil
    }

    private mutating func rest(from now: Instant) {
        state = .open(.resting(due: now.advanced(byAtMost: configuration.interval)))
    }

    private mutating func ping(at now: Instant, isProbe: Bool) -> Action {
        lastPing = PingID(lastPing.number &+ 1)
        let patience = isProbe ? configuration.probeTimeout : configuration.timeout
        let deadline = now.advanced(byAtMost: patience)
        state = .open(.awaiting(lastPing, deadline: deadline, isProbe: isProbe))
        return .sendPing(generation, lastPing)
    }

    private func hasSlept(since due: Instant, until now: Instant) -> Bool {
        now.elapsed(since: due) > configuration.suspensionTolerance
    }
}
