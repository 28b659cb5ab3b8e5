import HeartwireTesting

/// What does not hold over Foundation's task because of the platform. Each stays in the conformance run, which
/// tells when it is mended; docs/transports.md says more of each.
enum PlatformFaults {
    static let known: [TransportConformance.Case: String] = {
        #if os(Linux)
            [:]
        #else
            [:]
        #endif
    }()
}
