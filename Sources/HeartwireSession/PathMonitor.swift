/// What tells of changes of the network's paths: an interface, an address, a route (promise L3).
///
/// A client subscribes while its session is not stopped. A monitor that has nobody to report to should hold
/// nothing of the system.
public protocol PathMonitor: AnyObject, Sendable {
    /// Reports each change from now on, with what the paths are good for then; the present state is not
    /// reported. Never reports from within this call.
    ///
    /// - Parameters:
    ///   - executor: The domain in which this is called, and in which `report` must be called.
    ///   - report: Hears of each change.
    func subscribe(
        in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
    ) -> PathSubscription
}

/// One subscriber's place with a ``PathMonitor``.
public struct PathSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// Makes a subscription that is ended by `end`, once, in the subscriber's domain.
    public init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends it: nothing is reported afterwards. Call it once, in the domain in which it was made.
    public func cancel() { end() }
}
