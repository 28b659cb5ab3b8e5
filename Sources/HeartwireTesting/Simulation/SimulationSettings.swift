import Heartwire
import HeartwireProtocol
import HeartwireSession

/// What is simulated.
public struct SimulationSettings: Sendable, Hashable {
    /// The longest time that one world is simulated for: a week.
    public static let longestDuration = Duration.seconds(7 * 86_400)

    /// Decides everything that is left to chance.
    public var seed: UInt64
    /// How much virtual time passes until the world is wound up.
    public var duration: Duration
    /// How likely each fault is.
    public var faults: SimulationFaults

    /// States what is simulated; an hour with the standard faults unless told otherwise.
    public init(
        seed: UInt64, duration: Duration = .seconds(3_600),
        faults: SimulationFaults = SimulationFaults()
    ) {
        self.seed = seed
        self.duration = min(max(duration, .zero), Self.longestDuration)
        self.faults = faults
    }
}

/// How the clients of one world are configured, as the seed has it.
struct SimulationClientSettings {
    /// A way to confirm, without its closure.
    enum Confirmation: CaseIterable {
        case written, fence, acknowledgement
    }

    let heartbeat: HeartbeatSettings
    let backoff: Backoff
    let stability: Duration
    let confirmation: Confirmation
    let bounds: OutboxBounds
    let connectTimeout: Duration
    let closeTimeout: Duration
    let receiveBufferBytes: Int
    let compresses: Bool
    let answersAtOnce: Bool
    /// How much of what waits has its contents in memory; all of it when `nil`.
    let window: OutboxWindow?
    let pathSettling: Duration
    let wakeSpacing: Duration

    init(_ dice: SimulationDice) {
        heartbeat = .every(
            dice.duration(.settings, .seconds(2) ... .seconds(45)),
            timeout: dice.duration(.settings, .seconds(1) ... .seconds(15)))
        backoff = Self.backoff(dice)
        stability = dice.duration(.settings, .zero ... .seconds(10))
        // Fences more often than the others: they are the default.
        confirmation = dice.pick(.settings, Confirmation.allCases + [.fence, .fence])
        var bounds = OutboxBounds()
        bounds.count = dice.pick(.settings, [8, 100, 10_000])
        bounds.overflow = dice.pick(.settings, [.rejectNew, .suspend])
        self.bounds = bounds
        connectTimeout = dice.duration(.settings, .seconds(5) ... .seconds(30))
        closeTimeout = dice.duration(.settings, .milliseconds(500) ... .seconds(5))
        receiveBufferBytes = dice.pick(.settings, [4 << 10, 64 << 10, 4 << 20])
        compresses = dice.number(.settings, 0...1) == 1
        answersAtOnce = dice.number(.settings, 0...1) == 1
        window = dice.pick(.settings, [nil, 3, 50]).map { count in
            var window = OutboxWindow()
            window.count = count
            window.bytes = count * SimulationWorld.payloadLimit
            return window
        }
        pathSettling = dice.duration(.settings, .zero ... .seconds(2))
        wakeSpacing = dice.duration(.settings, .zero ... .seconds(30))
    }

    private static func backoff(_ dice: SimulationDice) -> Backoff {
        let base = dice.duration(.settings, .milliseconds(50) ... .seconds(2))
        let jitter = dice.pick(
            .settings, [Backoff.Jitter.none, .proportional(0.3), .proportional(0.3), .full])
        let cap = dice.duration(.settings, .seconds(2) ... .seconds(60))
        let attempts = dice.pick(.settings, [nil, 10])
        return (try? Backoff(base: base, cap: cap, jitter: jitter, attempts: attempts)) ?? .standard
    }

    /// Puts the settings into a client's configuration.
    func apply(to configuration: inout ClientConfiguration, store: any OutboxStore) {
        configuration.pathSettling = pathSettling
        configuration.wakeSpacing = wakeSpacing
        configuration.heartbeat = heartbeat
        configuration.reconnect = ReconnectPolicy(backoff: backoff, stability: stability)
        configuration.connectTimeout = connectTimeout
        configuration.closeTimeout = closeTimeout
        configuration.receiveBufferBytes = receiveBufferBytes
        if !compresses { configuration.compression = .off }
        var outbox = OutboxConfiguration(store: store)
        outbox.bounds = bounds
        if let window { outbox.window = window }
        switch confirmation {
        case .written: outbox.confirmation = .written
        case .fence: outbox.confirmation = .fence
        case .acknowledgement:
            outbox.confirmation = .acknowledgement { message in
                guard case .acknowledged(let id) = SimulationPayload(message) else { return [] }
                return [id]
            }
        }
        configuration.outbox = outbox
    }
}
