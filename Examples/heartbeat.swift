// The heartbeat's worked sequence (promise H12), in one file that runs by itself:
//
//     swift Examples/heartbeat.swift
//
// Silent and exit 0 when every rule holds; one line and exit 1 at the first that is broken. Times
// are whole milliseconds: a ping after 100 ms of rest, 1000 ms for its pong.

import Foundation

// MARK: - Begin of the copy (scripts/check-example --write renews it)

// Generation.swift

/// The identity of one connection in the life of a client.
///
/// Generations are strictly increasing and never reused. Everything that belongs to a connection
/// (callback, timer, continuation, effect) carries the generation that was current when it was
/// made, and the session's gate compares it (promises G1–G3, H7, H8).
public struct Generation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of this connection; the first is 1.
    public let number: UInt64

    /// Names the connection with this number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Before the first connection.
    public static let none = Generation(0)

    /// The generation that follows this one.
    ///
    /// At a million connections a second the numbers last for 584,000 years, so the sum wraps
    /// rather than traps.
    public var next: Generation { Generation(number &+ 1) }

    /// Whether the left connection is the older one.
    public static func < (left: Generation, right: Generation) -> Bool {
        left.number < right.number
    }

    /// `g1`, `g2`, …
    public var description: String { "g\(number)" }
}

/// The identity of one ping within the life of a client; never reused (promise H9).
public struct PingID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of this ping; the first is 1.
    public let number: UInt64

    /// Names the ping with this number.
    public init(_ number: UInt64) {
        self.number = number
    }

    /// Whether the left ping is the older one.
    public static func < (left: PingID, right: PingID) -> Bool {
        left.number < right.number
    }

    /// `ping1`, `ping2`, …
    public var description: String { "ping\(number)" }
}

// HeartbeatInstant.swift

/// A point in time that a ``Heartbeat`` can be driven with.
///
/// Arithmetic stops at the ends of the range instead of overflowing, so no setting and no instant
/// can trap the machine. At the very end of a range the last instant stands for every later one.
public protocol HeartbeatInstant: Comparable, Sendable {
    /// A span of time between two instants.
    associatedtype Interval: Comparable, Hashable, Sendable

    /// No time at all.
    static var zeroInterval: Interval { get }

    /// The longest setting that ``Heartbeat/Configuration`` accepts (H14).
    static var longestInterval: Interval { get }

    /// The instant `interval` later, or the last one that can be told.
    func advanced(byAtMost interval: Interval) -> Self

    /// The time since `earlier`, or the nearest span that can be told; negative when it is later.
    func elapsed(since earlier: Self) -> Interval
}

/// Whole milliseconds: for tests, simulators and worked examples.
extension Int: HeartbeatInstant {
    /// Milliseconds.
    public typealias Interval = Int

    /// 0 ms.
    public static var zeroInterval: Int { 0 }

    /// Half of the range, so that two settings can always be added.
    public static var longestInterval: Int { .max / 2 }

    /// The instant `interval` later, within the range.
    public func advanced(byAtMost interval: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(interval)
        guard overflow else { return sum }
        return interval < 0 ? .min : .max
    }

    /// The time since `earlier`, within the range.
    public func elapsed(since earlier: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        guard overflow else { return difference }
        return self < earlier ? .min : .max
    }
}

/// The standard library's monotonic clock that goes on counting during sleep.
///
/// Its range is some 10¹² years either way and a setting is at most 146 years long, so an instant
/// that the clock gave cannot overflow.
extension ContinuousClock.Instant: HeartbeatInstant {
    /// Spans are durations.
    public typealias Interval = Duration

    /// 0 s.
    public static var zeroInterval: Duration { .zero }

    /// About 146 years.
    public static var longestInterval: Duration { .nanoseconds(Int64.max / 2) }

    /// The instant `interval` later, within the range.
    public func advanced(byAtMost interval: Duration) -> ContinuousClock.Instant {
        advanced(by: interval)
    }

    /// The time since `earlier`, within the range.
    public func elapsed(since earlier: ContinuousClock.Instant) -> Duration {
        earlier.duration(to: self)
    }
}

// HeartbeatConfiguration.swift

extension Heartbeat {
    /// How often a peer is asked for a sign of life, and how long it may take to give one (H14).
    ///
    /// Stored once, however many copies there are: each connection has one.
    public struct Configuration: Sendable, Hashable {
        private struct Values: Sendable, Hashable {
            let interval: Instant.Interval
            let timeout: Instant.Interval
            let probeTimeout: Instant.Interval
            let suspensionTolerance: Instant.Interval
            let countsInboundFrames: Bool
        }

        private final class Store: Sendable {
            let values: Values

            init(_ values: Values) {
                self.values = values
            }
        }

        private let store: Store

        /// The rest between the opening, or a pong in time, and the next ping (H2, H6).
        public var interval: Instant.Interval { store.values.interval }
        /// How long a pong may take, from the moment its ping is asked for (H15).
        public var timeout: Instant.Interval { store.values.timeout }
        /// How long the pong of a probe may take (H11, L2); at most ``timeout``, which it is by default.
        public var probeTimeout: Instant.Interval { store.values.probeTimeout }
        /// A tick that comes later than it was due by more than this means that the machine slept (H11).
        /// Zero takes every late tick for a sleep. By default it is ``timeout``.
        public var suspensionTolerance: Instant.Interval { store.values.suspensionTolerance }
        /// Whether any frame from the peer counts as a pong (H13). Off by default: a peer that talks but
        /// does not listen is half dead.
        public var countsInboundFrames: Bool { store.values.countsInboundFrames }

        /// Checks the settings.
        ///
        /// - Throws: ``HeartbeatConfigurationError`` for an interval or timeout that is not positive, a
        ///   negative tolerance, a probe timeout beyond the timeout, or anything longer than
        ///   ``HeartbeatInstant/longestInterval``.
        public init(
            interval: Instant.Interval, timeout: Instant.Interval,
            probeTimeout: Instant.Interval? = nil, suspensionTolerance: Instant.Interval? = nil,
            countsInboundFrames: Bool = false
        ) throws(HeartbeatConfigurationError) {
            let probeTimeout = probeTimeout ?? timeout
            let suspensionTolerance = suspensionTolerance ?? timeout
            try Self.check(interval, .interval)
            try Self.check(timeout, .timeout)
            try Self.check(probeTimeout, .probeTimeout)
            guard probeTimeout <= timeout else {
                throw HeartbeatConfigurationError(.probeTimeout, .tooLong)
            }
            if suspensionTolerance != Instant.zeroInterval {
                try Self.check(suspensionTolerance, .suspensionTolerance)
            }
            store = Store(
                Values(
                    interval: interval, timeout: timeout, probeTimeout: probeTimeout,
                    suspensionTolerance: suspensionTolerance,
                    countsInboundFrames: countsInboundFrames))
        }

        /// Takes settings that are known to be right.
        init(uncheckedInterval interval: Instant.Interval, timeout: Instant.Interval) {
            store = Store(
                Values(
                    interval: interval, timeout: timeout, probeTimeout: timeout,
                    suspensionTolerance: timeout, countsInboundFrames: false))
        }

        /// Whether the settings are the same.
        public static func == (one: Configuration, other: Configuration) -> Bool {
            one.store.values == other.store.values
        }

        /// Feeds the settings into a hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(store.values)
        }

        private static func check(
            _ value: Instant.Interval, _ setting: HeartbeatConfigurationError.Setting
        ) throws(HeartbeatConfigurationError) {
            guard value > Instant.zeroInterval else {
                throw HeartbeatConfigurationError(setting, .notPositive)
            }
            guard value <= Instant.longestInterval else {
                throw HeartbeatConfigurationError(setting, .tooLong)
            }
        }
    }
}

/// A heartbeat setting that cannot be kept (H14).
public struct HeartbeatConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The settings of a heartbeat.
    public enum Setting: String, Sendable, Hashable {
        /// The rest between two pings.
        case interval
        /// The time that a pong may take.
        case timeout
        /// The time that the pong of a probe may take.
        case probeTimeout = "probe timeout"
        /// The lateness beyond which a tick means that the machine slept.
        case suspensionTolerance = "suspension tolerance"
    }

    /// What is wrong with a setting.
    public enum Fault: String, Sendable, Hashable {
        /// Zero or negative; for the tolerance, negative.
        case notPositive = "not positive"
        /// Longer than can be kept.
        case tooLong = "too long"
    }

    /// The setting that was refused.
    public let setting: Setting
    /// Why it was refused.
    public let fault: Fault

    init(_ setting: Setting, _ fault: Fault) {
        self.setting = setting
        self.fault = fault
    }

    /// One line for people, such as `heartbeat: the interval is not positive`.
    public var description: String { "heartbeat: the \(setting.rawValue) is \(fault.rawValue)" }
}

// Heartbeat.swift

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

// MARK: - End of the copy

// MARK: - The checks

func check<Value: Equatable>(_ seen: Value, _ expected: Value, _ rule: String) {
    guard seen != expected else { return }
    let line = "heartbeat: \(rule): expected \(expected), saw \(seen)\n"
    FileHandle.standardError.write(Data(line.utf8))
    exit(1)
}

func makeHeartbeat() throws -> Heartbeat<Int> {
    Heartbeat(try .init(interval: 100, timeout: 1000))
}

let g1 = Generation(1)
let g2 = Generation(2)
let g3 = Generation(3)

func checkWorkedSequence() throws {
    var machine = try makeHeartbeat()
    check(machine.connect(), g1, "the first connection is g1")
    machine.opened(g1, at: 0)
    check(machine.tick(at: 99), nil, "99: one whole interval passes before the first ping")
    check(machine.tick(at: 100), .sendPing(g1, PingID(1)), "100: the ping is due")
    check(machine.tick(at: 1099), nil, "1099: the deadline has not come")
    machine.pong(g1, at: 1100)
    check(machine.nextDeadline, 1100, "1100: a pong at the deadline is late")
    check(machine.tick(at: 1100), .close(g1, .heartbeatTimeout), "1100: the connection is given up")
    check(machine.tick(at: 1100), nil, "1100: it is given up once")

    check(machine.connect(), g2, "the second connection is g2")
    check(machine.nextDeadline, nil, "the deadline of g1 is forgotten")
    machine.opened(g1, at: 1200)
    check(machine.phase, .connecting, "1200: an opening of g1 leaves g2 connecting")
    machine.opened(g2, at: 2000)
    check(machine.tick(at: 2100), .sendPing(g2, PingID(2)), "2100: the ping is due")
    machine.pong(g1, at: 2150)
    check(machine.nextDeadline, 3100, "2150: a pong of g1 is ignored")
    check(machine.tick(at: 3100), .close(g2, .heartbeatTimeout), "3100: the connection is given up")

    check(machine.connect(), g3, "the third connection is g3")
    machine.opened(g3, at: 4000)
    check(machine.tick(at: 4100), .sendPing(g3, PingID(3)), "4100: the ping is due")
    machine.pong(g3, at: 4200)
    check(machine.nextDeadline, 4300, "4200: the next ping is due one interval after the pong")
    check(machine.tick(at: 4299), nil, "4299: the ping is not due")
    check(machine.tick(at: 4300), .sendPing(g3, PingID(4)), "4300: the ping is due")
}

func checkPongAroundTheDeadline() throws {
    for (now, counts) in [(1099, true), (1100, false), (1101, false)] {
        var machine = try makeHeartbeat()
        check(machine.connect(), g1, "the first connection is g1")
        machine.opened(g1, at: 0)
        check(machine.tick(at: 100), .sendPing(g1, PingID(1)), "100: the ping is due")
        machine.pong(g1, PingID(1), at: now)
        check(machine.awaitedPing, counts ? nil : PingID(1), "\(now): in time only before 1100")
        check(
            machine.tick(at: 1101), counts ? nil : .close(g1, .heartbeatTimeout),
            "\(now): only a pong in time saves the connection")
    }
}

do {
    try checkWorkedSequence()
    try checkPongAroundTheDeadline()
} catch {
    check("\(error)", "", "the settings are lawful")
}
