import HeartwireProtocol

extension Heartbeat {
    /// Makes a machine that has had no connection.
    ///
    /// - Parameters:
    ///   - configuration: the settings.
    ///   - lastPing: the newest ping id that is used up, when this machine takes over from another.
    public init(_ configuration: Configuration, after lastPing: PingID = PingID(0)) {
        self.init(Shared(configuration), after: lastPing)
    }

    /// How often a peer is asked for a sign of life, and how long it may take to give one (H14).
    public struct Configuration: Sendable, Hashable {
        /// The rest between the opening, or a pong in time, and the next ping (H2, H6).
        public let interval: Instant.Interval
        /// How long a pong may take, from the moment its ping is asked for (H15).
        public let timeout: Instant.Interval
        /// How long the pong of a probe may take (H11, L2); at most ``timeout``, which it is by default.
        public let probeTimeout: Instant.Interval
        /// A tick that comes later than it was due by more than this means that the machine slept (H11).
        /// Zero takes every late tick for a sleep. By default it is ``timeout``.
        public let suspensionTolerance: Instant.Interval
        /// Whether any frame from the peer counts as a pong (H13). Off by default: a peer that talks but
        /// does not listen is half dead.
        public let countsInboundFrames: Bool

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
            self.interval = interval
            self.timeout = timeout
            self.probeTimeout = probeTimeout
            self.suspensionTolerance = suspensionTolerance
            self.countsInboundFrames = countsInboundFrames
        }

        /// Takes settings that are known to be right.
        init(uncheckedInterval interval: Instant.Interval, timeout: Instant.Interval) {
            self.interval = interval
            self.timeout = timeout
            probeTimeout = timeout
            suspensionTolerance = timeout
            countsInboundFrames = false
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
