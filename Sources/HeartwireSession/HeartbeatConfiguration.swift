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
