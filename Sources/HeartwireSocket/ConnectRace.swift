import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Happy Eyeballs (RFC 8305): tries a host's addresses one after another without waiting for one to fail,
/// keeps the first that connects and closes the rest.
///
/// Belongs to its loop. Ends with exactly one call of `completion`, unless it is cancelled.
final class ConnectRace {
    /// RFC 8305 §5: how long an attempt may go on alone before the next address is tried.
    static let attemptDelay = Duration.milliseconds(250)
    /// Addresses of one name that are tried at most.
    static let maximumAddresses = 32

    private final class Attempt: ReadinessHandler {
        let descriptor: Int32
        var token: UInt64 = 0
        let done: (Attempt) -> Void

        init(descriptor: Int32, done: @escaping (Attempt) -> Void) {
            self.descriptor = descriptor
            self.done = done
        }

        func becameReady(_ readiness: Readiness) { done(self) }
    }

    private let loop: EventLoop
    private var waiting: ArraySlice<SocketAddress>
    private var running: [Attempt] = []
    private var timer: TimerID?
    private var firstFailure: ConnectionFailure?
    private var completion: ((Result<Int32, ConnectionFailure>) -> Void)?

    init(
        _ addresses: [SocketAddress], on loop: EventLoop,
        _ completion: @escaping (Result<Int32, ConnectionFailure>) -> Void
    ) {
        self.loop = loop
        self.waiting = addresses.prefix(Self.maximumAddresses)
        self.completion = completion
    }

    /// Begins. The completion may be called from within.
    func start() {
        startNext()
    }

    /// Closes every attempt; the completion is not called.
    func cancel() {
        completion = nil
        tearDown(keeping: nil)
    }

    private func startNext() {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard let address = waiting.popFirst() else {
            if running.isEmpty { finish(.failure(firstFailure ?? ConnectionFailure(.unreachable))) }
            return
        }
        do throws(ConnectionFailure) {
            let descriptor = try TCPSocket.open(family: address.family)
            do throws(ConnectionFailure) {
                if try TCPSocket.connect(descriptor, to: address) {
                    try Self.refuseItself(descriptor)
                    return finish(.success(descriptor))
                }
                watch(descriptor)
            } catch {
                close(descriptor)
                throw error
            }
        } catch {
            attemptFailed(error)
            return
        }
        guard !waiting.isEmpty else { return }
        timer = loop.schedule(at: loop.now().advanced(by: Self.attemptDelay)) { [weak self] in
            self?.timer = nil
            self?.startNext()
        }
    }

    private func watch(_ descriptor: Int32) {
        let attempt = Attempt(descriptor: descriptor) { [weak self] attempt in self?.settle(attempt)
        }
        attempt.token = loop.watch(descriptor, .write, attempt)
        running.append(attempt)
    }

    private func settle(_ attempt: Attempt) {
        loop.unwatch(attempt.descriptor, token: attempt.token)
        running.removeAll { $0 === attempt }
        do throws(ConnectionFailure) {
            let number = TCPSocket.pendingError(attempt.descriptor)
            guard number == 0 else { throw ConnectionFailure(errno: number) }
            try Self.refuseItself(attempt.descriptor)
            finish(.success(attempt.descriptor))
        } catch {
            close(attempt.descriptor)
            attemptFailed(error)
        }
    }

    /// Nobody listens where a socket could connect to itself. Kept, it would hold the port that the server needs.
    private static func refuseItself(_ descriptor: Int32) throws(ConnectionFailure) {
        guard !TCPSocket.isConnectedToItself(descriptor) else {
            throw ConnectionFailure(errno: ECONNREFUSED)
        }
    }

    /// A refusal sets the next attempt off at once (RFC 8305 §5).
    private func attemptFailed(_ failure: ConnectionFailure) {
        if firstFailure == nil { firstFailure = failure }
        startNext()
    }

    private func finish(_ result: Result<Int32, ConnectionFailure>) {
        let completion = self.completion
        self.completion = nil
        tearDown(keeping: try? result.get())
        completion?(result)
    }

    private func tearDown(keeping winner: Int32?) {
        if let timer { loop.cancel(timer) }
        timer = nil
        waiting = []
        for attempt in running where attempt.descriptor != winner {
            loop.unwatch(attempt.descriptor, token: attempt.token)
            close(attempt.descriptor)
        }
        running = []
    }
}

/// What has to be called off when a channel ends: of one that connects the race, of one that drains the timer.
enum ChannelDuty {
    case race(ConnectRace)
    case timer(TimerID)
}
