#if canImport(Network)
    import Dispatch
    import HeartwireSession
    import Network

    /// Hears of changes of the network's paths from `NWPathMonitor` (promise L3). The system decides what a change is.
    ///
    /// There is one for each loop, for all of its clients. It watches only while somebody listens.
    ///
    /// Confinement: all stored state belongs to the loop's thread.
    final class NetworkPathMonitor: PathMonitor, @unchecked Sendable {
        private let loop: EventLoop
        private var subscribers = PathSubscribers()
        private var monitor: NWPathMonitor?
        /// Whether the present path was told, which is the first thing that a monitor tells.
        private var isCurrent = false

        init(loop: EventLoop) {
            self.loop = loop
        }

        func subscribe(
            in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
        ) -> PathSubscription {
            let subscriber = PathSubscriber(executor, report)
            loop.execute { self.add(subscriber) }
            return PathSubscription { self.loop.execute { self.remove(subscriber) } }
        }

        private func add(_ subscriber: PathSubscriber) {
            subscribers.add(subscriber)
            guard monitor == nil else { return }
            let monitor = NWPathMonitor()
            self.monitor = monitor
            isCurrent = false
            monitor.pathUpdateHandler = { [weak self, loop, weak monitor] path in
                let isUsable = path.status == .satisfied
                loop.execute { [weak self, weak monitor] in
                    guard let self, let monitor, self.monitor === monitor else { return }
                    self.changed(isUsable ? .usable : .unusable)
                }
            }
            monitor.start(queue: DispatchQueue(label: "heartwire-path"))
        }

        private func remove(_ subscriber: PathSubscriber) {
            subscribers.remove(subscriber)
            guard subscribers.isEmpty else { return }
            monitor?.cancel()
            monitor = nil
        }

        private func changed(_ path: NetworkPath) {
            guard isCurrent else { return isCurrent = true }
            // A copy, since whoever is told may leave.
            let present = subscribers
            present.report(path, on: loop)
        }
    }
#endif
