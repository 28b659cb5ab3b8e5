import HeartwireProtocol
import HeartwireSession

/// Guaranteed delivery in one client: the outbox, its store, the receipts, and whoever waits for room. Confined to
/// the client's domain.
///
/// Theory of operation. The outbox decides; this runs what it decides. A message is stored first, then queued, then
/// written in its turn, and settled by the outbox alone. ``flush()`` is the only place that sends what
/// is stored (promise D5); it goes on until all is written or the transport has no room, and it is called when either
/// may have changed. The timer is that of the oldest message's age; the session's machine has its own. Where the store
/// gives back what it keeps, the outbox holds a window of it, and ``readAhead()`` moves that on.
///
/// `@unchecked Sendable`: the store's reports enter the domain before they touch anything.
final class Delivery: @unchecked Sendable {
    typealias Answer = Result<Receipt, DeliveryError>

    /// Who wants to know what became of a message.
    enum Asker {
        /// A task that waits.
        case task(UnsafeContinuation<Answer, Never>)
        /// Somebody who does not wait; called in the domain.
        case callback((Answer) -> Void)
        /// A caller of many, for the message at this place.
        case group(DeliveryGroup, Int)

        func answer(_ answer: Answer) {
            switch self {
            case .task(let continuation): continuation.resume(returning: answer)
            case .callback(let callback): callback(answer)
            case .group(let group, let place): group.answer(place, answer)
            }
        }
    }

    /// A caller that waits for room.
    struct Waiting {
        let number: UInt64
        let message: Message
        let isSessionBound: Bool
        let asker: Asker
    }

    /// How far a caller's message has come in one step.
    enum Submission {
        case done(Answer)
        case storing(DeliveryID)
        case full
    }

    let executor: any SessionExecutor
    let store: any OutboxStore
    let envelope: (@Sendable (OutboxEntry) -> Message)?
    let reader: (@Sendable (Message) -> [DeliveryID])?
    /// Set once, by the core's initializer; the core holds this object.
    unowned var core: ClientCore?

    var outbox: Outbox
    var status = OutboxStatus()
    var receipts = DeliveryTable<ReceiptBox>()
    /// Who waits for the store's answer.
    private var storing = DeliveryTable<Asker>()
    /// Who waits for room, in order.
    var waiting = BatchQueue<Waiting>()
    private var lastNumber: UInt64 = 0
    /// The transport takes nothing more for now.
    var isBlocked = false
    var isFlushing = false
    /// More is written once a ping has gone out behind what was.
    var awaitsFence = false
    /// Nothing is taken in any more.
    var isShutDown = false
    /// The store is closed, so nothing is sent any more either.
    var isClosed = false
    var timer: TimerID?
    var timerDeadline: MonotonicInstant?
    /// Until then nothing is read, because it could not be.
    var readTimer: TimerID?
    /// How many receipts there may be until it is looked which are of use to somebody.
    private var receiptMark = Delivery.leastReceiptMark
    /// Who waits until nothing is left.
    var drainers: [UnsafeContinuation<Void, Never>] = []

    /// After a read that failed nothing is read for this long.
    static let readPause = Duration.seconds(1)
    private static let leastReceiptMark = 1_024

    /// Opens the store and takes over what is in it. May block. Nothing happens before ``begin()``.
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
            window: store.readsBack ? configuration.window : nil, after: contents.lastID)
        outbox.restore(contents.entries, at: executor.now())
        outbox.restore(unread: contents.unread, at: executor.now())
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
            return await withUnsafeContinuation(isolation: isolation) { storing[id] = .task($0) }
        case .full:
            return await waitForRoom(message, isSessionBound, isolation: isolation)
        }
    }

    /// The same for a caller in the domain that does not wait. The answer may come before this returns.
    func deliver(_ message: Message, _ answer: @escaping (Answer) -> Void) {
        let submission = waiting.isEmpty ? submit(message, false) : .full
        switch submission {
        case .done(let result): answer(result)
        case .storing(let id): storing[id] = .callback(answer)
        case .full: join(message, .callback(answer))
        }
    }

    /// Has somebody wait for room who is not a task alone.
    private func join(_ message: Message, _ asker: Asker) {
        guard !isShutDown else { return asker.answer(.failure(.shutDown)) }
        lastNumber &+= 1
        waiting.append(
            Waiting(number: lastNumber, message: message, isSessionBound: false, asker: asker))
    }

    /// Stores many messages, in order, and answers with what became of each when that is known of all.
    func deliver(
        contentsOf messages: [Message], isolation: isolated (any Actor)?
    ) async -> [Answer] {
        let group = DeliveryGroup(count: messages.count)
        for (place, message) in messages.enumerated() {
            switch waiting.isEmpty ? admit(message, false) : .full {
            case .done(let answer): group.answer(place, answer)
            case .storing(let id): storing[id] = .group(group, place)
            case .full: join(message, .group(group, place))
            }
        }
        flush()
        rearm()
        return await withTaskCancellationHandler(
            operation: {
                _ = isolation
                return await group.answers(isolation: isolation)
            },
            onCancel: { executor.execute { self.giveUpWaiting(group) } },
            isolation: isolation)
    }

    private func submit(_ message: Message, _ isSessionBound: Bool) -> Submission {
        let submission = admit(message, isSessionBound)
        if case .done(.success) = submission {
            flush()
            rearm()
        }
        return submission
    }

    /// Takes a message in. What is kept at once waits for the next ``flush()``.
    private func admit(_ message: Message, _ isSessionBound: Bool) -> Submission {
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
        if isSessionBound { store.reserve(id) }
        guard isSessionBound || store.append(OutboxEntry(id: id, message: message)) else {
            return .storing(id)
        }
        outbox.stored(id)
        return .done(.success(promise(id)))
    }

    /// The message is kept: from here on it is delivered or its receipt tells why not.
    private func promise(_ id: DeliveryID) -> Receipt {
        let box = ReceiptBox(id)
        receipts[id] = box
        if receipts.count > receiptMark {
            // Nobody can come by a receipt that all have let go of.
            receipts.removeUnshared()
            receiptMark = max(Self.leastReceiptMark, receipts.count * 2)
        }
        status.accepted += 1
        if isClosed { box.abandon() }
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
                            asker: .task($0)))
                }
            },
            onCancel: { executor.execute { self.giveUpWaiting(number) } },
            isolation: isolation)
    }

    private func giveUpWaiting(_ number: UInt64) {
        giveUp { $0.number == number }
    }

    private func giveUpWaiting(_ group: DeliveryGroup) {
        giveUp {
            guard case .group(let other, _) = $0.asker else { return false }
            return other === group
        }
    }

    private func giveUp(_ isGoing: (Waiting) -> Bool) {
        let gone = waiting.remove(where: isGoing)
        guard !gone.isEmpty else { return }
        for caller in gone { caller.asker.answer(.failure(.cancelled)) }
        admitWaiting()
    }

    /// Lets in who has waited longest, as long as there is room.
    func admitWaiting() {
        // Taken out first, for what is settled meanwhile leads back here.
        while let next = waiting.popFirst() {
            switch submit(next.message, next.isSessionBound) {
            case .full: return waiting.putBack(next)
            case .done(let answer): next.asker.answer(answer)
            case .storing(let id): storing[id] = next.asker
            }
        }
    }

    private func heard(_ report: OutboxStoreReport) {
        switch report {
        case .stored(let ids):
            // Each has its receipt before one goes out.
            for id in ids {
                outbox.stored(id)
                answer(id, .success(promise(id)))
            }
        case .failed(let ids, let error):
            for id in ids {
                outbox.storeFailed(id)
                status.refused += 1
                answer(id, .failure(.store(error)))
            }
            admitWaiting()
        case .read(let range, let entries): return wasRead(range, entries)
        case .unread(let range, let error): return couldNotRead(range, error)
        }
        flush()
        rearm()
        wakeDrainer()
    }

    private func answer(_ id: DeliveryID, _ answer: Answer) {
        storing.removeValue(for: id)?.answer(answer)
    }
}
