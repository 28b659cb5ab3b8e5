import HeartwireSession

/// Who is told of changes of the network's paths, and in which domain.
final class PathSubscriber: Sendable {
    let executor: any SessionExecutor
    let report: @Sendable (NetworkPath) -> Void

    init(_ executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void) {
        self.executor = executor
        self.report = report
    }
}

/// The subscribers of one monitor.
struct PathSubscribers {
    private var present: [PathSubscriber] = []

    var isEmpty: Bool { present.isEmpty }

    mutating func add(_ subscriber: PathSubscriber) {
        present.append(subscriber)
    }

    mutating func remove(_ subscriber: PathSubscriber) {
        present.removeAll { $0 === subscriber }
    }

    /// Tells everybody, those of `loop` at once. Call it on the loop.
    func report(_ path: NetworkPath, on loop: EventLoop) {
        for subscriber in present {
            if subscriber.executor === loop {
                subscriber.report(path)
            } else {
                subscriber.executor.execute { subscriber.report(path) }
            }
        }
    }
}
