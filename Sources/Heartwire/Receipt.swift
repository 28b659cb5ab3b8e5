public import HeartwireSession
import HeartwireSocket

/// The receipt for a message that ``WebSocketClient/deliver(_:sessionBound:)`` has promised to deliver (promise D2).
///
/// A receipt may be kept, handed on or let go; the delivery does not depend on it.
public struct Receipt: Sendable, Identifiable {
    /// How far a delivery has come.
    public enum State: Sendable, Hashable {
        /// It is stored and waits for its turn. Followed by any other; also follows ``written(_:)`` when that
        /// connection ended without a confirmation.
        case stored
        /// It went out on this connection.
        case written(Generation)
        /// It arrived, in the sense of ``OutboxConfiguration/confirmation``. The last state.
        case confirmed
        /// It was given up because of its age. The last state.
        case expired
        /// It was given up for this reason. The last state.
        case rejected(DeliveryOutcome.Rejection)
    }

    let box: ReceiptBox

    /// The message's identity.
    public var id: DeliveryID { box.id }

    /// How far it has come.
    public var state: State { box.state }

    /// How far it has come and will come: the present state first, up to the last one. Who is slow sees the newest
    /// state and not each one in between. The sequence also ends when the client is shut down or gone.
    public var states: ReceiptStates { ReceiptStates(box: box) }

    /// Returns when the message has gone out at least once.
    ///
    /// - Throws: ``DeliveryError``: `expired` or `rejected` when it was given up before, `shutDown` when the
    ///   client is gone first, `cancelled` when the task was cancelled.
    public func written() async throws(DeliveryError) {
        try await box.wait { $0.wasWritten }
    }

    /// Returns when the message is confirmed.
    ///
    /// - Throws: ``DeliveryError``, as ``written()`` does.
    public func confirmed() async throws(DeliveryError) {
        try await box.wait { $0.state == .confirmed }
    }
}

/// The states of one delivery; see ``Receipt/states``.
public struct ReceiptStates: AsyncSequence, Sendable {
    /// A state of the delivery.
    public typealias Element = Receipt.State
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let box: ReceiptBox

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(box: box)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        let box: ReceiptBox
        var seen = 0

        /// The next state, or `nil` behind the last one and when the task was cancelled.
        public mutating func next() async -> Receipt.State? {
            await next(isolation: nil)
        }

        /// The next state, without leaving the caller's isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Receipt.State? {
            while true {
                let (state, version, isOver) = box.look()
                if version > seen {
                    seen = version
                    return state
                }
                guard !isOver, await box.change(after: seen, isolation: actor) else { return nil }
            }
        }
    }
}

/// The state that a receipt shows. Written in the client's domain, read and waited for anywhere.
final class ReceiptBox: Sendable {
    struct Inner {
        var state = Receipt.State.stored
        var wasWritten = false
        /// Counts the states.
        var version = 1
        /// The client is gone, so the state is the last one that is known.
        var isAbandoned = false
        var waiters: [(number: UInt64, continuation: UnsafeContinuation<Void, Never>)] = []
        var lastWaiter: UInt64 = 0
    }

    let id: DeliveryID
    private let inner = Locked(Inner())

    init(_ id: DeliveryID) {
        self.id = id
    }

    var state: Receipt.State { inner.withLock { $0.state } }

    func look() -> (Receipt.State, version: Int, isOver: Bool) {
        inner.withLock { ($0.state, $0.version, $0.isAbandoned || $0.state.isLast) }
    }

    // MARK: The client

    func wrote(_ generation: Generation) {
        set { inner in
            inner.state = .written(generation)
            inner.wasWritten = true
        }
    }

    /// The connection ended: what was written waits again.
    func returned() {
        set { inner in
            if case .written = inner.state { inner.state = .stored }
        }
    }

    func settle(_ outcome: DeliveryOutcome) {
        set { inner in
            switch outcome {
            case .confirmed:
                inner.state = .confirmed
                inner.wasWritten = true
            case .expired: inner.state = .expired
            case .rejected(let why): inner.state = .rejected(why)
            }
        }
    }

    func abandon() {
        set { $0.isAbandoned = true }
    }

    private func set(_ change: (inout Inner) -> Void) {
        let waiters = inner.withLock { inner in
            let before = inner.state
            change(&inner)
            if inner.state != before { inner.version += 1 }
            defer { inner.waiters = [] }
            return inner.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    // MARK: Waiting

    func wait(until isReached: @Sendable (Inner) -> Bool) async throws(DeliveryError) {
        while true {
            let (isDone, version, error) = inner.withLock { inner in
                (isReached(inner), inner.version, inner.failure)
            }
            if isDone { return }
            if let error { throw error }
            guard await change(after: version, isolation: nil) else { throw .cancelled }
        }
    }

    /// Returns when there is something newer than `version`; `false` when the task was cancelled.
    func change(after version: Int, isolation: isolated (any Actor)?) async -> Bool {
        let number = inner.withLock { inner in
            inner.lastWaiter += 1
            return inner.lastWaiter
        }
        await withTaskCancellationHandler(
            operation: {
                _ = isolation
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    let isDue = inner.withLock { inner in
                        if inner.version > version || inner.isAbandoned || Task.isCancelled {
                            return true
                        }
                        inner.waiters.append((number, continuation))
                        return false
                    }
                    if isDue { continuation.resume() }
                }
            },
            onCancel: { self.wake(number) },
            isolation: isolation)
        return !Task.isCancelled
    }

    private func wake(_ number: UInt64) {
        let continuation = inner.withLock { inner in
            inner.waiters.firstIndex { $0.number == number }
                .map { inner.waiters.remove(at: $0).continuation }
        }
        continuation?.resume()
    }
}

extension ReceiptBox.Inner {
    /// Why what is waited for will never come, if so.
    fileprivate var failure: DeliveryError? {
        switch state {
        case .confirmed: nil
        case .expired: .expired
        case .rejected(let why): .rejected(why)
        case .stored, .written: isAbandoned ? .shutDown : nil
        }
    }
}

extension Receipt.State {
    /// Whether this is the last state.
    public var isLast: Bool {
        switch self {
        case .stored, .written: false
        case .confirmed, .expired, .rejected: true
        }
    }
}
