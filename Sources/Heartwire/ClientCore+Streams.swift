import HeartwireProtocol
import HeartwireSession

// What the events, the queues and the batches need of the core.
extension ClientCore {
    // MARK: Coming in

    /// What the slowest consumer is behind by, of those that reading is suspended for.
    var backlog: Int {
        events.isListening ? max(messages.weight, events.weight) : messages.weight
    }

    /// Hands a message that passed the gate to everybody who listens.
    func hand(_ generation: Generation, _ message: consuming Message) {
        hasArrivals = true
        if events.isListening { tell(generation, of: message) }
        messages.append(message)
    }

    /// Apart from the way of every message, which it would make longer.
    @inline(never)
    private func tell(_ generation: Generation, of message: borrowing Message) {
        events.append(generation, of: copy message)
    }

    func wakeConsumers() {
        messages.wake()
        if events.isListening { events.wake() }
    }

    /// Tells of what passed the gate, ahead of what it leads to.
    func tell(_ event: SessionEvent) {
        guard events.isListening else { return }
        if case .transportOpened(let generation) = event {
            events.tell(generation, .opened(opened ?? OpenedConnection()))
        }
        if case .pongReceived(let generation, let id) = event {
            events.tell(generation, .pong(id))
        }
    }

    func tellEnd(_ generation: Generation, _ cause: CloseCause) {
        guard events.isListening else { return }
        if !cause.isOrderly { events.append(generation, .error(cause)) }
        events.tell(generation, .closed(cause))
    }

    /// Nothing more comes to anybody.
    func finishConsumers(forGood: Bool = false) {
        messages.finish(forGood: forGood)
        events.finish(forGood: forGood)
    }

    // MARK: Going out

    /// Any thread may call this.
    func remember(_ outgoing: Outgoing) {
        executor.execute {
            self.outgoing.append(outgoing)
            if self.isAbandoned { outgoing.pass(.shutdown) }
        }
    }

    func forget(_ outgoing: Outgoing) {
        self.outgoing.removeAll { $0 === outgoing }
    }

    func flushOutgoing(_ haste: Outgoing.Haste) {
        for outgoing in outgoing { outgoing.pass(haste) }
    }

    func resumeOutgoing() {
        for outgoing in outgoing { outgoing.resume() }
    }

    /// What the client's streams have done.
    var streamStatus: StreamStatus {
        var status = StreamStatus()
        status.messageConsumers = messages.consumers
        status.eventConsumers = events.consumers
        status.droppedMessages = messages.dropped
        status.droppedEvents = events.dropped
        status.droppedStates = states.dropped
        status.backlogBytes = backlog
        return status
    }
}
