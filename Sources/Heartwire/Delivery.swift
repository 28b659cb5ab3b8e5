import HeartwireProtocol
import HeartwireSession

/// Guaranteed delivery in one client: the outbox, its store, the receipts, and whoever waits for room. Confined to
/// the client's domain.
///
/// Theory of operation. The outbox decides; this runs what it decides. A message is stored first, then queued, then
/// written in its turn, and settled by the outbox alone. ``flush()`` is the only place that sends what
/// is stored (promise D5); it goes on until all is written or the transport has no room, and it is called when either
/// may have changed. The timer is that of the oldest message's age; the session's machine has its own.
///
/// `@unchecked Sendable`: the store's reports enter the domain before they touch anything.
final class Delivery: @unchecked Sendable {
    typealias Answer = Result<Receipt, DeliveryError>

    /// A caller that waits for room.
    struct Waiting {
        let number: UInt64
        let message: Message
        let isSessionBound: Bool
        let continuation: UnsafeContinuation<Answer, Never>
    }

    /// How far a caller's message has come in one step.
    enum Submission {
        case done(Answer)
        case storing(DeliveryID)
        case full
    }

    let executor: any SessionExecutor
    private let store: any OutboxStore
    private let envelope: (@Sendable (OutboxEntry) -> Message)?
    private let reader: (@Sendable (Message) -> [DeliveryID])?
    /// Set once, by the core's initializer; the core holds this object.
    unowned var core: ClientCore?

    private(set) var outbox: Outbox
    private(set) var status = OutboxStatus()
    private var receipts: [DeliveryID: ReceiptBox] = [:]
    /// Who waits for the store's answer.
    private var storing: [DeliveryID: UnsafeContinuation<Answer, Never>?] = [:]
    /// Who waits for room, in order.
    private var waiting: [Waiting] = []
    private var lastNumber: UInt64 = 0
    /// The transport takes nothing more for now.
    private(set) var isBlocked = false
    private var isFlushing = false
    /// Nothing is taken in any more.
    private(set) var isShutDown = false
    /// The store is closed, so nothing is sent any more either.
    private var isClosed = false
    private var timer: TimerID?
    private var timerDeadline: MonotonicInstant?
    /// Who waits until nothing is left.
    private var drainer: UnsafeContinuation<Void, Never>?

    /// Opens the store and takes over what is in it. May block.
    init(
        _ configuration: OutboxConfiguration, executor: any SessionExecutor
    ) throws(OutboxStoreError) {
        self.executor = executor
        envelope = configuration.envelope
        reader = configuration.confirmation.reader
        outbox = Outbox(configuration.bounds, confirmation: configuration.confirmation.kind)
        store = configuration.makeStore()
        let contents = try store.open { [self] report in
            executor.execute { self.heard(report) }
        }
        outbox = Outbox(
            configuration.bounds, confirmation: configuration.confirmation.kind,
            after: contents.lastID)
        outbox.restore(contents.entries, at: executor.now())
        status.restored = outbox.count
    }

    /// The status now.
    var presentStatus: OutboxStatus {
        var status = status
        status.waiting = outbox.count
        status.waitingBytes = outbox.bytes
        return status
    }

    // MARK: Taking in

    /// Stores a message and answers with its receipt when that is done.
    func deliver(
        _ message: Message, isSessionBound: Bool, isolation: isolated (any Actor)?
    ) async -> Answer {
        let submission = waiting.isEmpty ? submit(message, isSessionBound) : .full
        switch submission {
        case .done(let answer): return answer
        case .storing(let id):
            return await withUnsafeContinuation(isolation: isolation) { storing[id] = $0 }
        case .full:
            return await waitForRoom(message, isSessionBound, isolation: isolation)
        }
    }

    private func submit(_ message: Message, _ isSessionBound: Bool) -> Submission {
        guard !isShutDown else { return .done(.failure(.shutDown)) }
        let admission: Outbox.Admission
        do throws(OutboxRefusal) {
            admission = try outbox.add(
                message, isSessionBound: isSessionBound, at: executor.now())
        } catch {
            if error == .full, outbox.bounds.overflow == .suspend { return .full }
            status.refused += 1
            return .done(.failure(.refused(error)))
        }
        settle(admission.dropped)
        let id = admission.id
        if isSessionBound { return .done(.success(promise(id))) }
        guard store.append(OutboxEntry(id: id, message: message)) else {
            storing.updateValue(nil, forKey: id)
            return .storing(id)
        }
        outbox.stored(id)
        return .done(.success(promise(id)))
    }

    /// The message is kept: from here on it is delivered or its receipt tells why not.
    private func promise(_ id: DeliveryID) -> Receipt {
        let box = ReceiptBox(id)
        receipts[id] = box
        status.accepted += 1
        flush()
        rearm()
        return Receipt(box: box)
    }

    private func waitForRoom(
        _ message: Message, _ isSessionBound: Bool, isolation: isolated (any Actor)?
    ) async -> Answer {
        guard !isShutDown else { return .failure(.shutDown) }
        lastNumber &+= 1
        let number = lastNumber
        return await withTaskCancellationHandler(
            operation: {
                _ = isolation
                return await withUnsafeContinuation(isolation: isolation) {
                    waiting.append(
                        Waiting(
                            number: number, message: message, isSessionBound: isSessionBound,
                            continuation: $0))
                }
            },
            onCancel: { executor.execute { self.giveUpWaiting(number) } },
            isolation: isolation)
    }

    private func giveUpWaiting(_ number: UInt64) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: .failure(.cancelled))
        admitWaiting()
    }

    /// Lets in who has waited longest, as long as there is room.
    private func admitWaiting() {
        while let next = waiting.first {
            switch submit(next.message, next.isSessionBound) {
            case .full: return
            case .done(let answer): next.continuation.resume(returning: answer)
            case .storing(let id): storing[id] = next.continuation
            }
            waiting.removeFirst()
        }
    }

    private func heard(_ report: OutboxStoreReport) {
        switch report {
        case .stored(let ids):
            // The outbox knows all of them before one goes out, so that a flush meets no gap.
            for id in ids { outbox.stored(id) }
            for id in ids { answer(id, .success(promise(id))) }
        case .failed(let ids, let error):
            for id in ids {
                outbox.storeFailed(id)
                status.refused += 1
                answer(id, .failure(.store(error)))
            }
            flush()
            admitWaiting()
        }
        wakeDrainer()
    }

    private func answer(_ id: DeliveryID, _ answer: Answer) {
        guard let continuation = storing.removeValue(forKey: id) else { return }
        continuation?.resume(returning: answer)
    }
}

// What the core tells.
extension Delivery {
    func opened(_ generation: Generation) {
        isBlocked = false
        settle(outbox.opened(generation))
        flush()
    }

    func ended(_ generation: Generation) {
        isBlocked = false
        let settled = outbox.ended(generation)
        for box in receipts.values { box.returned() }
        settle(settled)
    }

    func becameWritable() {
        isBlocked = false
        flush()
    }

    func pingSent(_ id: PingID) {
        outbox.pingSent(id)
    }

    func pongReceived(_ id: PingID) {
        settle(outbox.pongReceived(id))
    }

    func received(_ message: Message) {
        guard let reader else { return }
        for id in reader(message) { settle(outbox.acknowledged(id)) }
    }

    /// Whether what is stored must go out before anything else does (K04-02).
    var isBacklogged: Bool { isBlocked && outbox.canWrite }

    /// Whether a ping is wanted behind what was written.
    var wantsFence: Bool { !isBlocked && outbox.wantsFence }

    /// Writes what may be written, in order, while the transport has room. The only path on which anything that
    /// is stored goes out, the first time or again.
    private func flush() {
        guard !isFlushing, !isClosed, let core else { return }
        isFlushing = true
        while !isBlocked, let transport = core.openTransport(outbox.generation),
            let entry = outbox.takeNext()
        {
            if entry.isPossibleDuplicate { status.redelivered += 1 }
            write(entry, to: transport)
        }
        isFlushing = false
        core.askForFence()
    }

    private func write(_ entry: OutboxEntry, to transport: any Transport) {
        do throws(SendError) {
            isBlocked = try !transport.send(envelope?(entry) ?? entry.message)
        } catch .notOpen, .closing, .closed, .connectionEnded {
            // The connection is ending. Its end brings the entry back into the queue.
            isBlocked = true
            return
        } catch {
            return settle(outbox.refuse(entry.id, error))
        }
        if let generation = outbox.generation { receipts[entry.id]?.wrote(generation) }
        settle(outbox.handedOver(entry.id))
    }

    private func settle(_ settled: [SettledDelivery]) {
        guard !settled.isEmpty else { return }
        for delivery in settled {
            status.count(delivery.outcome)
            receipts.removeValue(forKey: delivery.id)?.settle(delivery.outcome)
        }
        store.remove(settled.map(\.id))
        admitWaiting()
        rearm()
        wakeDrainer()
    }

    private func rearm() {
        let deadline = isClosed ? nil : outbox.nextDeadline
        guard deadline != timerDeadline else { return }
        if let timer { executor.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        timer = executor.schedule(at: deadline) {
            self.timer = nil
            self.timerDeadline = nil
            self.settle(self.outbox.expire(at: self.executor.now()))
            self.rearm()
        }
    }
}

// The end.
extension Delivery {
    /// Takes nothing in any more. Who waits for room is told so.
    func stopIntake() {
        isShutDown = true
        let turnedAway = waiting
        waiting = []
        for caller in turnedAway { caller.continuation.resume(returning: .failure(.shutDown)) }
    }

    /// Returns when nothing is left, or when ``stopDraining()`` was called, whichever is first.
    func drain(isolation: isolated (any Actor)?) async {
        guard !outbox.isEmpty, drainer == nil else { return }
        await withUnsafeContinuation(isolation: isolation) { drainer = $0 }
    }

    func stopDraining() {
        drainer?.resume()
        drainer = nil
    }

    private func wakeDrainer() {
        if outbox.isEmpty { stopDraining() }
    }

    /// Hands the store back behind everything that it was asked for, and lets go of all that waits.
    func close(_ done: @escaping @Sendable () -> Void) {
        stopIntake()
        stopDraining()
        guard !isClosed else { return done() }
        isClosed = true
        rearm()
        for box in receipts.values { box.abandon() }
        receipts = [:]
        store.close { [executor] in executor.execute(done) }
    }
}
