#if os(Linux)
    import CLinux
    import Glibc
    import HeartwireSession

    /// Hears of changes of the network's paths from the kernel, over rtnetlink(7), on an event loop (promise L3).
    ///
    /// There is one for each loop, for all of its clients. It has a socket only while somebody listens. The socket belongs to
    /// the network namespace of the loop's thread. Where the system refuses it, nothing is reported: the
    /// heartbeat finds out by itself then, only later.
    ///
    /// Confinement: all stored state belongs to the loop's thread.
    final class NetlinkPathMonitor: PathMonitor, ReadinessHandler, @unchecked Sendable {
        /// The least time between the ends and the beginnings of readings.
        static let spacing = Duration.milliseconds(50)

        private let loop: EventLoop
        private var subscribers = PathSubscribers()
        private(set) var descriptor: Int32 = -1
        private var token: UInt64 = 0
        private var reader = NetlinkReader(port: 0)
        private var nextReading: TimerID?
        /// How many readings were begun.
        private(set) var readings = 0
        /// How often the kernel had more to say than the socket could hold.
        private(set) var losses = 0

        /// Whether all that was announced has been read.
        var isAtRest: Bool { !reader.isReading && !reader.isStale && nextReading == nil }

        init(loop: EventLoop) {
            self.loop = loop
        }

        deinit {
            // The loop ended before the last subscriber left.
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
        }

        func subscribe(
            in executor: any SessionExecutor, _ report: @escaping @Sendable (NetworkPath) -> Void
        ) -> PathSubscription {
            let subscriber = PathSubscriber(executor, report)
            onLoop { $0.add(subscriber) }
            return PathSubscription { self.onLoop { $0.remove(subscriber) } }
        }

        private func onLoop(_ body: @escaping @Sendable (NetlinkPathMonitor) -> Void) {
            if loop.isCurrent { body(self) } else { loop.execute { body(self) } }
        }

        private func add(_ subscriber: PathSubscriber) {
            subscribers.add(subscriber)
            if descriptor < 0 { open() }
        }

        private func remove(_ subscriber: PathSubscriber) {
            subscribers.remove(subscriber)
            if subscribers.isEmpty { close() }
        }

        // MARK: The socket

        private func open() {
            guard let (descriptor, port) = Self.openSocket() else { return }
            self.descriptor = descriptor
            token = loop.watch(descriptor, .read, self)
            reader = NetlinkReader(port: port)
            read()
        }

        private func close() {
            if let nextReading { loop.cancel(nextReading) }
            nextReading = nil
            guard descriptor >= 0 else { return }
            loop.unwatch(descriptor, token: token)
            _ = Glibc.close(descriptor)
            descriptor = -1
        }

        /// A socket that hears of links, addresses and routes, and the address that the kernel has given it.
        private static func openSocket() -> (descriptor: Int32, port: UInt32)? {
            let kind = Int32(SOCK_RAW.rawValue) | heartwire_sock_flags
            let descriptor = socket(AF_NETLINK, kind, NETLINK_ROUTE)
            guard descriptor >= 0 else { return nil }
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            address.nl_groups = heartwire_path_groups
            var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else {
                _ = Glibc.close(descriptor)
                return nil
            }
            return (descriptor, address.nl_pid)
        }

        // MARK: Readings

        private func read() {
            readings += 1
            run(reader.begin())
            readAgainIfStale()
        }

        private func readAgainIfStale() {
            guard descriptor >= 0, reader.isStale, !reader.isReading, nextReading == nil else {
                return
            }
            nextReading = loop.schedule(at: loop.now().advanced(by: Self.spacing)) { [weak self] in
                self?.nextReading = nil
                self?.read()
            }
        }

        private func run(_ step: NetlinkReader.Step) {
            switch step {
            case .none: return
            case .ask(let request):
                let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
                if sent != request.count { reader.lostWords() }
            case .report(let path):
                // A copy, since whoever is told may leave.
                let present = subscribers
                present.report(path, on: loop)
            }
        }

        func becameReady(_ readiness: Readiness) {
            while descriptor >= 0, let bytes = receive() {
                run(reader.take(bytes))
            }
            readAgainIfStale()
        }

        /// One datagram from the kernel; `nil` when there is none for now. What another process sends is not listened to,
        /// and the kernel says itself when there was more than the socket could hold (ENOBUFS).
        private func receive() -> [UInt8]? {
            let buffer = loop.sharedReadBuffer
            while true {
                var sender = sockaddr_nl()
                var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
                let count = withUnsafeMutablePointer(to: &sender) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(
                            descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC), $0,
                            &length)
                    }
                }
                if count >= 0 {
                    guard sender.nl_pid == 0 else { continue }
                    if count > buffer.count { reader.lostWords() }
                    return Array(buffer.prefix(count))
                }
                switch errno {
                case EINTR: continue
                case ENOBUFS:
                    losses += 1
                    reader.lostWords()
                default: return nil
                }
            }
        }
    }
#endif
