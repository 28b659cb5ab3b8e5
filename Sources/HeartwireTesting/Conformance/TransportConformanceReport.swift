/// What a run of ``TransportConformance`` found.
public struct TransportConformanceReport: Sendable, Hashable, CustomStringConvertible {
    /// How one case went.
    public enum Verdict: Sendable, Hashable {
        /// It holds.
        case held
        /// It does not hold; carries what was expected and what was seen.
        case failed(seen: String)
        /// It does not hold, as was known.
        case excluded(reason: String, seen: String)
        /// It holds although it was known not to: the exclusion has to go.
        case mended(reason: String)
    }

    /// One case and how it went.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The case.
        public let `case`: TransportConformance.Case
        /// How it went.
        public let verdict: Verdict

        init(
            _ aCase: TransportConformance.Case, fault: String?,
            exclusion: TransportConformance.Exclusion?
        ) {
            `case` = aCase
            verdict =
                switch (fault, exclusion) {
                case (nil, nil): .held
                case (nil, let exclusion?):
                    exclusion.isUnsteady ? .held : .mended(reason: exclusion.reason)
                case (let seen?, nil): .failed(seen: seen)
                case (let seen?, let exclusion?):
                    .excluded(reason: exclusion.reason, seen: seen)
                }
        }

        /// Whether the case neither holds nor is known not to, or holds and is known not to.
        public var isFault: Bool {
            switch verdict {
            case .held, .excluded: false
            case .failed, .mended: true
            }
        }

        /// One line for people.
        public var description: String {
            switch verdict {
            case .held: "held      \(`case`.rawValue): \(`case`.sentence)"
            case .failed(let seen): "FAILED    \(`case`.rawValue): \(seen)"
            case .excluded(let reason, let seen):
                "excluded  \(`case`.rawValue): \(reason) (\(seen))"
            case .mended(let reason): "MENDED    \(`case`.rawValue): no longer true: \(reason)"
            }
        }
    }

    /// The findings in the order of the run.
    public let findings: [Finding]

    /// Those that should not be.
    public var faults: [Finding] { findings.filter(\.isFault) }

    /// A line for each finding.
    public var description: String { findings.map(\.description).joined(separator: "\n") }
}
