#if os(Linux)
    import Glibc
    import HeartwireSession
    import NetworkNamespaces
    import Testing

    @testable import HeartwireSocket

    /// Over the kernel's own words, in real time: each test has networks of its own.
    @Suite(
        "NetlinkPathMonitor: the kernel tells of the network", .serialized,
        .enabled(if: NetworkNamespace.obstacle == nil, "network namespaces: root and ip(8)"),
        .timeLimit(.minutes(1)))
    struct NetlinkPathMonitorTests {
        private let space: NetworkNamespace
        private let peer: NetworkNamespace
        private let monitor: NetlinkPathMonitor
        private let heard = Log<NetworkPath>()

        init() throws {
            space = try NetworkNamespace("paths")
            peer = try NetworkNamespace("paths-peer")
            monitor = NetlinkPathMonitor(loop: space.loop)
        }

        private func close() {
            space.close()
            peer.close()
        }

        private func cable() throws {
            try NetworkNamespace.connect(
                (space, "here", "10.77.0.2/24"), (peer, "there", "10.77.0.1/24"))
        }

        /// Subscribes, and waits until there is something to compare later readings with.
        private func subscribe() async throws -> PathSubscription {
            let (monitor, loop, heard) = (monitor, space.loop, heard)
            let subscription = try await on(loop) {
                monitor.subscribe(in: loop) { heard.add($0) }
            }
            try await settle()
            return subscription
        }

        /// How many descriptors the loop watches; the monitor's is the only one.
        private func watched() async throws -> Int {
            let loop = space.loop
            return try await on(loop) { loop.watchedCount }
        }

        /// Returns when nothing is read or to be read.
        private func settle() async throws {
            let monitor = monitor
            repeat {
                try await Task.sleep(for: .milliseconds(20))
            } while try await on(space.loop) { !monitor.isAtRest }
        }

        /// What was reported for a change. Where one is `expected` it is waited for: the kernel may take a second to say
        /// that a link has a carrier.
        private func reports(
            of change: String, expected: NetworkPath? = nil
        ) async throws -> [NetworkPath] {
            let known = heard.entries.count
            try space.ip(change)
            for _ in 0..<300 {
                let news = heard.entries.dropFirst(known)
                if expected == nil || news.last == expected { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            // The kernel announces it within a turn; the reading follows after the spacing.
            try await Task.sleep(for: NetlinkPathMonitor.spacing * 4)
            try await settle()
            return Array(heard.entries.dropFirst(known))
        }

        @Test("L3: an address, a link and a route that change are reported, with what is left")
        func changes() async throws {
            defer { close() }
            try cable()
            let subscription = try await subscribe()
            #expect(heard.entries.isEmpty, "the present state is not reported")
            let steps: [(change: String, path: NetworkPath)] = [
                ("addr add 10.77.0.3/24 dev here", .usable),
                ("addr del 10.77.0.3/24 dev here", .usable),
                ("route add default via 10.77.0.1", .usable),
                ("route replace default via 10.77.0.9", .usable),
                ("route replace default via 10.77.0.1", .usable),
                ("route del default", .usable),
                ("route add 10.99.0.0/16 via 10.77.0.1", .usable),
                ("addr del 10.77.0.2/24 dev here", .unusable),
                ("addr add 10.77.0.2/24 dev here", .usable),
                ("link set here down", .unusable),
                ("link set here up", .usable),
                ("link del here", .unusable),
            ]
            for (change, path) in steps {
                let reports = try await reports(of: change, expected: path)
                #expect(reports.last == path, "\(change)")
                #expect(!reports.isEmpty, "\(change)")
            }
            try await on(space.loop) { subscription.cancel() }
        }

        @Test("L3: what is announced and changes nothing is not reported")
        func noChange() async throws {
            defer { close() }
            try cable()
            try space.ip("route add default via 10.77.0.1")
            let subscription = try await subscribe()
            for change in [
                "addr change 10.77.0.2/24 dev here", "route replace default via 10.77.0.1",
                "route add 10.5.0.0/16 via 10.77.0.1 table 100", "link set here up",
                "link set here alias cable",
            ] {
                let reports = try await reports(of: change)
                #expect(reports.isEmpty, "\(change)")
            }
            try await on(space.loop) { subscription.cancel() }
        }

        @Test("L3: one storm of changes is a few readings, not one for each")
        func storm() async throws {
            defer { close() }
            try cable()
            let subscription = try await subscribe()
            let before = try await on(space.loop) { [monitor] in monitor.readings }
            for number in 10..<60 { try space.ip("addr add 10.77.0.\(number)/24 dev here") }
            try await Task.sleep(for: NetlinkPathMonitor.spacing * 4)
            try await settle()
            let readings = try await on(space.loop) { [monitor] in monitor.readings } - before
            #expect(readings >= 1 && readings < 50)
            #expect(heard.entries.count >= 1 && heard.entries.count <= readings)
            try await on(space.loop) { subscription.cancel() }
        }

        @Test(
            "L3: words that were lost because the socket was full cost one more reading, and no change"
        )
        func overflow() async throws {
            defer { close() }
            try cable()
            let subscription = try await subscribe()
            let before = try await on(space.loop) { [monitor] in monitor.readings }
            // The loop does not read while it is kept busy, and the socket is too small for what is said meanwhile.
            try await on(space.loop) { [monitor] in
                TCPSocket.setOption(monitor.descriptor, SOL_SOCKET, SO_RCVBUF, 1)
            }
            try space.ip((1...60).map { "addr add 10.78.0.\($0)/32 dev here" })
            try await Task.sleep(for: NetlinkPathMonitor.spacing * 4)
            try await settle()
            #expect(heard.entries.last == .usable)
            let (readings, losses) = try await on(space.loop) { [monitor] in
                (monitor.readings - before, monitor.losses)
            }
            #expect(losses >= 1)
            #expect(readings >= 1)
            try await on(space.loop) { subscription.cancel() }
        }

        @Test(
            "L3, R5: the socket is there while somebody listens, for all of them together, and no longer"
        )
        func socket() async throws {
            defer { close() }
            let (monitor, loop) = (monitor, space.loop)
            #expect(try await watched() == 0)
            let subscriptions = try await on(loop) {
                [monitor.subscribe(in: loop) { _ in }, monitor.subscribe(in: loop) { _ in }]
            }
            #expect(try await watched() == 1)
            try await on(loop) { subscriptions[0].cancel() }
            #expect(try await watched() == 1)
            try await on(loop) { subscriptions[1].cancel() }
            #expect(try await watched() == 0)
            let timers = try await on(loop) { loop.timerCount }
            #expect(timers == 0)
            // And again.
            let third = try await on(loop) { monitor.subscribe(in: loop) { _ in } }
            #expect(try await watched() == 1)
            try await on(loop) { third.cancel() }
            #expect(try await watched() == 0)
        }

        @Test("L3: a subscriber elsewhere may come and go from its own domain")
        func elsewhere() async throws {
            defer { close() }
            let other = EventLoop(name: "elsewhere")
            defer { other.shutdown() }
            let (monitor, heard) = (monitor, heard)
            try cable()
            let subscription = try await on(other) {
                monitor.subscribe(in: other) { path in
                    #expect(other.isCurrent)
                    heard.add(path)
                }
            }
            try await settle()
            _ = try await reports(of: "link set here down", expected: .unusable)
            #expect(heard.entries.last == .unusable)
            try await on(other) { subscription.cancel() }
            #expect(try await watched() == 0)
        }

        @Test("L3: whoever is told may leave at once")
        func leaving() async throws {
            defer { close() }
            let (monitor, loop, heard) = (monitor, space.loop, heard)
            try cable()
            let place = Place()
            try await on(loop) {
                place.subscription = monitor.subscribe(in: loop) { path in
                    heard.add(path)
                    place.subscription?.cancel()
                }
            }
            try await settle()
            _ = try await reports(of: "link set here down")
            #expect(heard.entries == [.unusable])
            #expect(try await watched() == 0)
        }

        private final class Place: @unchecked Sendable {
            var subscription: PathSubscription?
        }
    }
#endif
