import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// What callers outside of concurrency have given to go out, on its way (promises S3, S5).
///
/// Theory of operation. Any thread puts messages into the intake, under a lock, where they are counted against the
/// bounds. One job then carries all that is there into the client's domain; while it is on its way, no
/// other is made. There the messages go into the batch, where there is one, and become parcels; parcels leave in
/// order while the transport has room. A message gives its place back when its parcel has come to an end: sent,
/// stored, or given back to the app.
///
/// The batch has a timer in the domain. There is no task.
///
/// `@unchecked Sendable`: the intake is guarded, all else is touched in the domain only. The core is alive whenever
/// the domain is entered: every job and timer holds it.
final class Outgoing: @unchecked Sendable {
    /// How urgent it is that all of it goes.
    enum Haste {
        /// It goes when its time has come and there is room.
        case none
        /// The client is going to shut down: batches do not wait for more, and nothing is taken any more.
        case shutdown
        /// The Close frame is next: what goes at all goes now.
        case last
    }

    private struct Intake {
        var queue = BatchQueue<Message>()
        var status = OutgoingStatus()
        /// A job is on its way that will take what is here.
        var isAwaited = false
        /// A job is on its way that will let go what is gathered.
        var isFlushAwaited = false
        var isClosed = false
    }

    private let configuration: OutgoingConfiguration
    private let encoding: BatchEncoding?
    private let intake = Locked(Intake())
    private unowned let core: ClientCore

    private var batch: Batch?
    private(set) var parcels = BatchQueue<Batch.Parcel>()
    /// The transport took the last parcel and wants no more for now.
    private var isFull = false
    private var isPushing = false
    private var isRetired = false
    private var timer: TimerID?
    private var timerDeadline: MonotonicInstant?

    init(_ core: ClientCore, _ configuration: OutgoingConfiguration, batch: Batch? = nil) {
        self.core = core
        self.configuration = configuration
        self.batch = batch
        encoding = batch?.encoding
    }

    // MARK: Any thread

    var status: OutgoingStatus { intake.withLock { $0.status } }

    func enqueue(_ message: Message) throws(QueueError) {
        let weight = message.weight
        let refusal = refusal(of: message, weight: weight)
        let (error, isFirst) = intake.withLock { intake -> (QueueError?, Bool) in
            let fits = configuration.bounds.admit(
                count: intake.status.waiting + 1, weight: intake.status.waitingBytes + weight)
            if let error = intake.isClosed ? .closed : refusal ?? (fits ? nil : .full) {
                intake.status.refused += 1
                return (error, false)
            }
            intake.status.waiting += 1
            intake.status.waitingBytes += weight
            intake.queue.append(message)
            defer { intake.isAwaited = true }
            return (nil, !intake.isAwaited)
        }
        if isFirst { enter { $0.pass(.none) } }
        guard let error else { return }
        // What is gathered makes room, however long it was to wait.
        if error == .full, encoding != nil { flush() }
        throw error
    }

    func flush() {
        let isFirst = intake.withLock { intake in
            defer { intake.isFlushAwaited = true }
            return !intake.isFlushAwaited
        }
        guard isFirst else { return }
        enter { outgoing in
            outgoing.intake.withLock { $0.isFlushAwaited = false }
            outgoing.finishBatch()
            outgoing.pass(.none)
        }
    }

    private func refusal(of message: Message, weight: Int) -> QueueError? {
        let limit = configuration.bounds.bytes
        guard weight <= limit else { return .tooLarge(bytes: weight, limit: limit) }
        do throws(BatchRefusal) {
            try encoding?.check(message)
            return nil
        } catch {
            return .refused(error)
        }
    }

    private func enter(_ work: @escaping @Sendable (Outgoing) -> Void) {
        core.executor.execute { [self, core] in
            withExtendedLifetime(core) { work(self) }
        }
    }

    // MARK: The domain

    /// Whoever gave the messages is gone: what is left goes its way.
    func retire() {
        intake.withLock { $0.isClosed = true }
        isRetired = true
        finishBatch()
        pass(.none)
    }

    /// Lets go all that may go.
    func pass(_ haste: Haste) {
        collect()
        switch haste {
        case .none: break
        case .shutdown:
            intake.withLock { $0.isClosed = true }
            finishBatch()
        case .last: finishBatch()
        }
        push(haste)
        rearm()
        if isRetired, parcels.isEmpty { core.forget(self) }
    }

    /// The transport has room again, or is gone.
    func resume() {
        isFull = false
        pass(.none)
    }

    private func collect() {
        var arrived = intake.withLock { intake in
            defer {
                intake.queue = BatchQueue()
                intake.isAwaited = false
            }
            return intake.queue
        }
        guard !arrived.isEmpty else { return }
        let now = core.executor.now()
        while let message = arrived.popFirst() { gather(message, now) }
    }

    private func gather(_ message: Message, _ now: MonotonicInstant) {
        guard batch != nil else {
            return parcels.append(Batch.Parcel(messages: [message], payload: message))
        }
        do throws(BatchRefusal) {
            for parcel in try batch?.add(message, at: now) ?? [] { parcels.append(parcel) }
        } catch {
            giveBack([message], .batch(error))
        }
    }

    private func finishBatch() {
        collect()
        if let parcel = batch?.flush() { parcels.append(parcel) }
    }

    /// What comes up on the way waits for its turn, so parcels keep their order.
    private func push(_ haste: Haste) {
        guard !isPushing else { return }
        isPushing = true
        while mayPush(haste), let parcel = parcels.popFirst() { push(parcel, haste) }
        isPushing = false
    }

    private func mayPush(_ haste: Haste) -> Bool {
        switch (configuration.route, haste) {
        case (.deliver, _), (_, .last), (.sendOrDeliver, .shutdown): true
        case (.send, .none), (.send, .shutdown), (.sendOrDeliver, .none):
            !isFull && !core.isBacklogged
        }
    }

    private func push(_ parcel: Batch.Parcel, _ haste: Haste) {
        switch configuration.route {
        case .deliver: deliver(parcel, orElse: .notOpen)
        case .send:
            do throws(SendError) {
                try send(parcel)
            } catch {
                giveBack(parcel.messages, .send(error))
            }
        case .sendOrDeliver:
            do throws(SendError) {
                try send(parcel)
            } catch {
                deliver(parcel, orElse: error)
            }
        }
    }

    /// What is stored goes out ahead of what is sent; what cannot wait for that is not sent.
    private func send(_ parcel: Batch.Parcel) throws(SendError) {
        guard !core.isBacklogged else { throw .closing }
        isFull = try !core.send(parcel.payload)
        finish(parcel.messages) { $0.sent += $1 }
    }

    private func deliver(_ parcel: Batch.Parcel, orElse error: SendError) {
        guard let delivery = core.delivery else { return giveBack(parcel.messages, .send(error)) }
        delivery.deliver(parcel.payload) { answer in
            switch answer {
            case .success: self.finish(parcel.messages) { $0.stored += $1 }
            case .failure(let error): self.giveBack(parcel.messages, .delivery(error))
            }
        }
    }

    private func giveBack(_ messages: [Message], _ cause: UnsentMessages.Cause) {
        finish(messages) { $0.unsent += $1 }
        configuration.unsent?(UnsentMessages(messages: messages, cause: cause))
    }

    /// The messages' places are free again.
    private func finish(_ messages: [Message], _ count: (inout OutgoingStatus, Int) -> Void) {
        let weight = messages.reduce(0) { $0 + $1.weight }
        intake.withLock { intake in
            intake.status.waiting -= messages.count
            intake.status.waitingBytes -= weight
            count(&intake.status, messages.count)
        }
    }

    // MARK: The timer

    private func rearm() {
        let deadline = batch?.nextDeadline
        guard deadline != timerDeadline else { return }
        if let timer { core.executor.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        timer = core.executor.schedule(at: deadline) { [core] in
            withExtendedLifetime(core) { self.timeIsUp() }
        }
    }

    private func timeIsUp() {
        timer = nil
        timerDeadline = nil
        if let parcel = batch?.tick(at: core.executor.now()) { parcels.append(parcel) }
        pass(.none)
    }
}
