#if os(Linux)
    import CLinux
    import Glibc
    import HeartwireSession

    /// epoll, with an eventfd to be woken by and a timerfd on `CLOCK_BOOTTIME`, which goes on counting while
    /// the machine sleeps and fires at once on waking (promises H11, L4).
    final class EpollPoller: Poller {
        private static let wakeToken = UInt64.max
        private static let timerToken = UInt64.max - 1
        private static let batchSize = 256
        /// Timers whose deadlines lie within one tick are waited for together, to its end: ten thousand hearts wake the
        /// loop a thousand times a second and not ten thousand times, and none beats later than this.
        static let tickNanoseconds: Int64 = 1_000_000

        private let epoll: Int32
        private let wakeDescriptor: Int32
        private let timerDescriptor: Int32
        private let events: UnsafeMutablePointer<epoll_event>
        /// The end of the tick that the timerfd is set for; `nil` while it is disarmed.
        @exclusivity(unchecked) private var armed: MonotonicInstant?
        /// How many events the last wait has found.
        @exclusivity(unchecked) private var found: Int32 = 0

        init() throws(ConnectionFailure) {
            epoll = epoll_create1(heartwire_epoll_cloexec)
            wakeDescriptor = eventfd(0, heartwire_efd_flags)
            timerDescriptor = timerfd_create(CLOCK_BOOTTIME, heartwire_tfd_flags)
            events = .allocate(capacity: Self.batchSize)
            guard epoll >= 0, wakeDescriptor >= 0, timerDescriptor >= 0 else {
                throw ConnectionFailure(.system, systemCode: errno)
            }
            add(wakeDescriptor, token: Self.wakeToken, interest: .read)
            add(timerDescriptor, token: Self.timerToken, interest: .read)
        }

        deinit {
            for descriptor in [epoll, wakeDescriptor, timerDescriptor] where descriptor >= 0 {
                close(descriptor)
            }
            events.deallocate()
        }

        var hearsOfChanges: Bool { true }

        func add(_ descriptor: Int32, token: UInt64, interest: Readiness) {
            control(EPOLL_CTL_ADD, descriptor, token, interest)
        }

        func modify(_ descriptor: Int32, token: UInt64, interest: Readiness) {
            control(EPOLL_CTL_MOD, descriptor, token, interest)
        }

        func remove(_ descriptor: Int32) {
            control(EPOLL_CTL_DEL, descriptor, 0, [])
        }

        private func control(
            _ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ interest: Readiness
        ) {
            var event = epoll_event()
            if interest.contains(.read) { event.events |= heartwire_epoll_in }
            if interest.contains(.write) { event.events |= heartwire_epoll_out }
            event.data.u64 = token
            _ = epoll_ctl(epoll, operation, descriptor, &event)
        }

        func wait(until deadline: MonotonicInstant?, mayBlock: Bool) {
            let tick = deadline.map { Self.endOfTick($0) }
            if tick != armed { arm(deadline, tick: tick) }
            found = epoll_wait(epoll, events, Int32(Self.batchSize), mayBlock ? -1 : 0)
        }

        func report(_ ready: (_ token: UInt64, _ readiness: Readiness) -> Void) -> Bool {
            guard found > 0 else { return false }
            var isDue = false
            for index in 0..<Int(found) {
                let event = events[index]
                switch event.data.u64 {
                case Self.wakeToken: drain(wakeDescriptor)
                case Self.timerToken:
                    drain(timerDescriptor)
                    armed = nil
                    isDue = true
                case let token: ready(token, Self.readiness(event.events))
                }
            }
            return isDue
        }

        private static func readiness(_ bits: UInt32) -> Readiness {
            var readiness: Readiness = []
            if bits & heartwire_epoll_in != 0 { readiness.insert(.read) }
            if bits & heartwire_epoll_out != 0 { readiness.insert(.write) }
            if bits & (heartwire_epoll_err | heartwire_epoll_hup) != 0 { readiness.insert(.hangup) }
            return readiness
        }

        /// The end of the tick in which `deadline` lies; `deadline` itself at the end of all time.
        static func endOfTick(_ deadline: MonotonicInstant) -> MonotonicInstant {
            let into = deadline.nanoseconds % tickNanoseconds
            guard into > 0, deadline.nanoseconds <= Int64.max - tickNanoseconds else {
                return deadline
            }
            return MonotonicInstant(nanoseconds: deadline.nanoseconds - into + tickNanoseconds)
        }

        private func arm(_ deadline: MonotonicInstant?, tick: MonotonicInstant?) {
            var setting = itimerspec()
            if let deadline, let tick {
                // What is due already does not wait for its tick. An absolute time of zero would disarm; anything past
                // fires at once.
                let isDue = deadline <= SystemClock.now()
                let nanoseconds = max(1, (isDue ? deadline : tick).nanoseconds)
                setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
                setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
            }
            _ = timerfd_settime(timerDescriptor, heartwire_tfd_abstime, &setting, nil)
            armed = tick
        }

        private func drain(_ descriptor: Int32) {
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
        }

        func wake() {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }
    }
#endif
