import HeartwireProtocol
import HeartwireSession

// What the core tells.
extension Delivery {
    /// Begins to read what was left in the store. Called once, when the core is known: from here on the domain works.
    func begin() {
        guard !outbox.isEmpty else { return }
        executor.execute {
            self.readAhead()
            self.rearm()
        }
    }

    /// Told before the app is, so that what is stored goes out ahead of what the app sends when it hears of the
    /// opening (K04-02).
    func entered(_ state: SessionState) {
        switch state {
        case .open(let generation):
            isBlocked = false
            settle(outbox.opened(generation))
            flush()
        case .stopped: stopDraining()
        case .idle, .connecting, .closing, .waiting, .suspended: return
        }
    }

    /// An event that passed the gate.
    func heard(_ event: SessionEvent) {
        guard case .pongReceived(_, let id) = event else { return }
        settle(outbox.pongReceived(id))
    }

    func ended(_ generation: Generation) {
        isBlocked = false
        awaitsFence = false
        let written = outbox.writtenIDs
        let settled = outbox.ended(generation)
        // In order, as all that a seed replays.
        for id in written { receipts[id]?.returned() }
        settle(settled)
        // For the next connection.
        readAhead()
    }

    /// Now little is ahead of a ping, so one goes out before there is much again.
    func becameWritable() {
        isBlocked = false
        core?.askForFence()
        flush()
    }

    func pingSent(_ id: PingID) {
        outbox.pingSent(id)
        guard awaitsFence else { return }
        flush()
        core?.backlogWentOut()
    }

    func received(_ message: Message) {
        guard let reader else { return }
        for id in reader(message) { settle(outbox.acknowledged(id)) }
    }

    /// Whether what is stored must go out before anything else does (K04-02). Once the store is closed it never does.
    var isBacklogged: Bool {
        !isClosed && ((isBlocked || awaitsFence) && outbox.canWrite || outbox.awaitsContents)
    }

    /// Whether a ping is wanted behind what was written. Not where the transport is full: a ping's time would run while
    /// all of that goes out.
    var wantsFence: Bool { !isBlocked && outbox.wantsFence }

    /// Writes what may be written, in order, while the transport has room. The only path on which anything that
    /// is stored goes out, the first time or again.
    func flush() {
        guard !isFlushing, !isClosed, let core else { return }
        isFlushing = true
        awaitsFence = false
        while !isBlocked, !awaitsFence, let transport = core.openTransport(outbox.generation),
            let entry = outbox.takeNext()
        {
            if entry.isPossibleDuplicate { status.redelivered += 1 }
            write(entry, to: transport)
            awaitsFence = !isBlocked && outbox.wantsFenceFirst && core.machine.admitsFence
        }
        isFlushing = false
        readAhead()
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

    func settle(_ settled: [SettledDelivery]) {
        guard !settled.isEmpty else { return }
        for delivery in settled {
            status.count(delivery.outcome)
            receipts.removeValue(for: delivery.id)?.settle(delivery.outcome)
        }
        store.remove(settled.map(\.id))
        admitWaiting()
        rearm()
        wakeDrainer()
    }

    /// Has read what goes out before long.
    func readAhead() {
        guard !isClosed, readTimer == nil, let range = outbox.takeRead() else { return }
        store.read(range)
    }

    /// What was under way when the store was closed is of no use, and the core may be gone.
    func wasRead(_ range: ClosedRange<DeliveryID>, _ entries: [OutboxEntry]) {
        guard !isClosed else { return }
        settle(outbox.read(range, entries))
        wentOn()
    }

    /// What is stored is kept, and read later; what can never be read is given up, so that it holds up nothing.
    func couldNotRead(_ range: ClosedRange<DeliveryID>, _ error: OutboxStoreError) {
        guard !error.isLasting else { return wasRead(range, []) }
        outbox.readFailed(range)
        guard !isClosed, readTimer == nil else { return }
        readTimer = executor.schedule(at: executor.now().advanced(by: Self.readPause)) {
            self.readTimer = nil
            self.wentOn()
        }
    }

    /// Something was read, or may be tried again.
    private func wentOn() {
        flush()
        readAhead()
        rearm()
        core?.backlogWentOut()
    }

    func rearm() {
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
        var turnedAway = waiting
        waiting = BatchQueue()
        while let caller = turnedAway.popFirst() { caller.asker.answer(.failure(.shutDown)) }
    }

    /// Returns when nothing is left, or when ``stopDraining()`` was called, whichever is first.
    func drain(isolation: isolated (any Actor)?) async {
        guard !outbox.isEmpty else { return }
        await withUnsafeContinuation(isolation: isolation) { continuation in
            // A cancellation that came first has found nobody to wake.
            if Task.isCancelled { return continuation.resume() }
            drainers.append(continuation)
        }
    }

    func stopDraining() {
        let waiting = drainers
        drainers = []
        for drainer in waiting { drainer.resume() }
    }

    func wakeDrainer() {
        if outbox.isEmpty { stopDraining() }
    }

    /// Hands the store back behind everything that it was asked for, and lets go of all that waits.
    func close(_ done: @escaping @Sendable () -> Void) {
        stopIntake()
        stopDraining()
        guard !isClosed else { return done() }
        isClosed = true
        rearm()
        if let readTimer { executor.cancel(readTimer) }
        readTimer = nil
        for receipt in receipts.values { receipt.abandon() }
        receipts = DeliveryTable()
        core?.backlogWentOut()
        store.close { [executor] in executor.execute(done) }
    }
}
