public import HeartwireSession

/// A path monitor that reports what a test says, as if the machine's network had changed:
/// `$0.pathMonitor = .custom(monitor)`.
///
/// `@unchecked Sendable`: it belongs to the domain of its subscribers, in which everything is to be called.
public final class VirtualPathMonitor: PathMonitor, @unchecked Sendable {
    private var subscribers: [UInt64: @Sendable (NetworkPath) -> Void] = [:]
    private var lastSubscriber: UInt64 = 0

    /// Makes a monitor that has nothing to report.
    public init() {}

    /// How many listen.
    public var subscriberCount: Int { subscribers.count }

    /// Reports a change to everybody who listens, from within this call.
    public func change(to path: NetworkPath) {
        for number in subscribers.keys.sorted() { subscribers[number]?(path) }
    }

    /// Takes a subscriber; see `PathMonitor.subscribe(in:_:)`.
    public func subscribe(
        in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
    ) -> PathSubscription {
        lastSubscriber &+= 1
        let number = lastSubscriber
        subscribers[number] = report
        return PathSubscription { self.subscribers[number] = nil }
    }
}
