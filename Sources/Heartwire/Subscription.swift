import HeartwireSession
import Synchronization

/// One consumer's queue of messages or states, and the tasks that wait for it to fill.
///
/// Confined to the client's domain, but for the iterator's own batch, which belongs to the consumer. A consumer
/// elsewhere is handed what came together with the word that it came, so it enters the domain once for a batch: to ask.
final class Subscription<Element: Sendable>: @unchecked Sendable {
    /// Exclusive by confinement: nothing is called back while it is changed.
    @exclusivity(unchecked) private(set) var queue = BatchQueue<Element>()
    /// The weight of what waits in the queue.
    @exclusivity(unchecked) private(set) var queuedWeight = 0
    /// The weight of the batch that the consumer took last and may still be busy with.
    @exclusivity(unchecked) private var takenWeight = 0
    @exclusivity(unchecked) private(set) var isFinished = false
    /// How this consumer's buffer is bounded.
    private(set) var buffering: Buffering
    /// Whether what waits here counts when reading is suspended.
    @exclusivity(unchecked) private(set) var holdsReading: Bool
    /// Told in place of a task that waits, for a consumer that polls.
    @exclusivity(unchecked) var onWake: (() -> Void)?
    @exclusivity(unchecked) private var waiter: Waiter?
    @exclusivity(unchecked) private var furtherWaiters: [Waiter] = []

    /// A task that waits, and for a consumer elsewhere the box that it wants filled.
    private struct Waiter {
        let continuation: UnsafeContinuation<Void, Never>
        let box: BatchBox<Element>?
    }

    init(_ buffering: Buffering = .suspendReading) {
        self.buffering = buffering
        holdsReading = buffering.holdsReading
    }

    /// What is not known to be consumed, as far as reading is suspended for it.
    var weight: Int { holdsReading ? queuedWeight + takenWeight : 0 }

    var isEmpty: Bool { queue.isEmpty }

    /// Queues without waking anybody, so that a batch wakes a consumer once.
    func append(_ element: consuming Element, weight: Int) {
        queue.append(element)
        queuedWeight += weight
    }

    /// Takes the element out of where it is, for a caller that cannot hand it over.
    @inline(__always)
    func append(_ element: inout Element?, weight: Int) {
        if let element = element.take() { append(element, weight: weight) }
    }

    /// Drops the oldest element that waits.
    func dropFirst(weight: Int) {
        guard !isEmpty else { return }
        queue.dropFirst()
        queuedWeight -= weight
    }

    func wake() {
        guard let waiter else {
            onWake?()
            return
        }
        self.waiter = nil
        resume(waiter)
        guard !furtherWaiters.isEmpty else { return }
        let further = furtherWaiters
        furtherWaiters = []
        for waiter in further { resume(waiter) }
    }

    private func resume(_ waiter: Waiter) {
        guard let box = waiter.box else { return waiter.continuation.resume() }
        fill(box)
        box.executor.resumeElsewhere(waiter.continuation)
    }

    private func fill(_ box: BatchBox<Element>) {
        take(into: &box.batch)
        box.isLast = isFinished
        box.isFilled.store(true, ordering: .releasing)
    }

    func finish() {
        isFinished = true
        wake()
    }

    /// The consumer is done with the batch that it took last.
    func cameBack() {
        takenWeight = 0
    }

    /// Swaps everything that waits for the consumer's empty batch.
    func take(into batch: inout BatchQueue<Element>) {
        swap(&queue, &batch)
        takenWeight = queuedWeight
        queuedWeight = 0
    }

    /// Moves everything that waits to where the consumer polls. It weighs until ``gaveBack(_:)``.
    func drain(_ body: (consuming Element) -> Void) {
        while let element = queue.popFirst() { body(element) }
        takenWeight += queuedWeight
        queuedWeight = 0
    }

    /// A consumer that polls has taken so much of what was moved to it.
    func gaveBack(_ weight: Int) {
        takenWeight = max(0, takenWeight - weight)
    }

    /// Bounds the buffer by another policy from now on.
    func adopt(_ buffering: Buffering) {
        self.buffering = buffering
        holdsReading = buffering.holdsReading
    }

    /// Takes over what another consumer did not read.
    func inherit(_ other: Subscription) {
        queue.append(contentsOf: &other.queue)
        queuedWeight += other.queuedWeight
        other.queuedWeight = 0
    }

    private var mustWait: Bool { isEmpty && !isFinished && !Task.isCancelled }

    /// What came between the last look and the wait has woken nobody, so it ends the wait at once: without an
    /// isolation of its own a task may give way to others in between.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        guard mustWait else { return continuation.resume() }
        add(Waiter(continuation: continuation, box: nil))
    }

    /// Fills the box of a consumer elsewhere, who is done with its last batch, as soon as there is something.
    func serve(
        _ box: BatchBox<Element>, _ core: ClientCore?,
        _ continuation: UnsafeContinuation<Void, Never>
    ) {
        // Said before the wait: what the consumer held may be what keeps reading suspended.
        cameBack()
        core?.consumerTook()
        guard isEmpty, !isFinished, !box.isCancelled else {
            fill(box)
            return box.executor.resumeElsewhere(continuation)
        }
        add(Waiter(continuation: continuation, box: box))
    }

    private func add(_ waiter: Waiter) {
        if self.waiter == nil {
            self.waiter = waiter
        } else {
            furtherWaiters.append(waiter)
        }
    }
}

extension Subscription where Element: Weighed {
    /// Puts what the consumer took and did not read back to its place, ahead of what waits.
    func takeBack(_ unread: consuming BatchQueue<Element>) {
        guard !unread.isEmpty else { return }
        var all = BatchQueue<Element>()
        while let element = unread.popFirst() {
            queuedWeight += element.weight
            all.append(element)
        }
        all.append(contentsOf: &queue)
        queue = all
    }

    /// Queues within the consumer's own bounds. Answers how many elements were dropped.
    func offer(_ element: consuming Element, weight: Int) -> Int {
        switch buffering {
        case .suspendReading:
            append(element, weight: weight)
            return 0
        case .dropOldest:
            append(element, weight: weight)
            return trim()
        case .fail(let bounds, let flag):
            guard !isFinished else { return 0 }
            guard bounds.admit(count: queue.count + 1, weight: queuedWeight + weight) else {
                flag.raise(BufferOverflow(bounds: bounds))
                finish()
                return 0
            }
            append(element, weight: weight)
            return 0
        }
    }

    /// Drops what is too much for a consumer that drops. Answers how many elements that were.
    func trim() -> Int {
        guard case .dropOldest(let bounds, let tally) = buffering else { return 0 }
        let dropped = queue.trim(to: bounds, weight: &queuedWeight)
        tally.add(dropped)
        return dropped
    }
}

/// Carries a batch from the domain to a consumer elsewhere. In the domain until the consumer is resumed, and the
/// consumer's from then on.
final class BatchBox<Element>: @unchecked Sendable {
    @exclusivity(unchecked) var batch = BatchQueue<Element>()
    /// Nothing follows this batch.
    @exclusivity(unchecked) var isLast = false
    /// Set behind all else. ThreadSanitizer sees no order between the thread that resumes a continuation and a task that
    /// had not begun to wait (docs/decisions/0008), and sees this one.
    let isFilled = Atomic<Bool>(false)
    /// The consumer's task was cancelled. Only the domain looks.
    @exclusivity(unchecked) var isCancelled = false
    /// The domain's.
    let executor: any SessionExecutor

    init(_ executor: any SessionExecutor) {
        self.executor = executor
    }
}

extension Subscription {
    /// Returns when something waits, the sequence has finished, or the task was cancelled. In the domain.
    ///
    /// Inlined, as all between an iterator and the wait: each function on the way costs two looks at the task's executor.
    ///
    /// The isolation is handed on by name: a closure that does not capture it would leave the domain, and
    /// what it looks at there could change between the look and the wait.
    @inline(__always)
    func waitUntilFilled(
        _ executor: any SessionExecutor, isolation: isolated (any Actor)?
    ) async {
        repeat {
            await withTaskCancellationHandler(
                operation: {
                    _ = isolation
                    await withUnsafeContinuation(isolation: isolation) { self.wait($0) }
                },
                onCancel: { executor.execute { self.wake() } },
                isolation: isolation)
        } while executor.isCurrent && mustWait
    }
}

/// What iterators of messages and of states share: where a batch comes from.
struct SubscriptionReader<Element: Sendable> {
    let executor: any SessionExecutor
    let subscription: Subscription<Element>
    /// Who keeps count of what consumers have not taken; states are not counted.
    let core: ClientCore?

    /// Fills the empty `batch` and takes its first element: in the domain without a hop, from elsewhere with
    /// one for a whole batch at the most. `nil` when the sequence has finished or the task was cancelled.
    @inline(__always)
    func refill(
        _ batch: inout BatchQueue<Element>, isolation: isolated (any Actor)?
    ) async -> Element? {
        while !Task.isCancelled {
            if executor.isCurrent {
                subscription.take(into: &batch)
                core?.consumerTook()
                if let element = batch.popFirst() { return element }
                if subscription.isFinished { return nil }
                await subscription.waitUntilFilled(executor, isolation: isolation)
            } else {
                let box = await fetch()
                batch = box.batch
                if let element = batch.popFirst() { return element }
                if box.isLast { return nil }
            }
        }
        return nil
    }

    /// What waits for a consumer elsewhere, as soon as it does. Nothing when the task was cancelled.
    private func fetch() async -> BatchBox<Element> {
        let (executor, subscription, core) = (executor, subscription, core)
        let box = BatchBox<Element>(executor)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let serve: @Sendable () -> Void = { subscription.serve(box, core, continuation) }
                if !executor.borrow(serve) { executor.execute(serve) }
            }
        } onCancel: {
            executor.execute {
                box.isCancelled = true
                subscription.wake()
            }
        }
        executor.settleResumption()
        _ = box.isFilled.load(ordering: .acquiring)
        return box
    }
}
