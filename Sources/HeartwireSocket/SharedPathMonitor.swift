import HeartwireSession

/// Keeps one monitor of the system for all clients of a loop, as long as one of them has it. Any thread may ask.
final class SharedPathMonitor: Sendable {
    private struct Place {
        weak var monitor: (any PathMonitor)?
    }

    private let place = Locked(Place())

    /// The loop's monitor; `nil` on a system that has none.
    func monitor(on loop: EventLoop) -> (any PathMonitor)? {
        place.withLock { place in
            if let monitor = place.monitor { return monitor }
            let monitor = Self.makeMonitor(loop)
            place.monitor = monitor
            return monitor
        }
    }

    private static func makeMonitor(_ loop: EventLoop) -> (any PathMonitor)? {
        #if canImport(Network)
            NetworkPathMonitor(loop: loop)
        #elseif os(Linux)
            NetlinkPathMonitor(loop: loop)
        #else
            nil
        #endif
    }
}
