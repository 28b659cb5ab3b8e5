import HeartwireProtocol
import HeartwireSession

/// A connection over Foundation's WebSocket task (promises T1, T3).
///
/// Theory of operation. The task is asked for one message at a time and asked again as soon as one has come, whoever
/// takes it (promise T4). While reading is off it is not asked again; the one message that
/// may have been asked for already is kept back. ``TaskLife`` makes one end of the task's several, ``PongSlots`` and
/// ``SendLedger`` make each completion count once, and ``NativeInbox`` brings all of them into the domain.
/// Foundation answers the peer's pings itself and tells nobody, so no ping is reported. A Close frame of ours
/// waits until what was sent before it has gone to the network, since Foundation throws away what has not.
final class URLSessionTransport: Transport {
    /// How long the task may take to say why the connection ended, once it is clear that it did.
    static let lastWordTimeout = Duration.milliseconds(500)
    /// How long the task is kept after the session was told of the end, to answer the peer's Close frame.
    static let lingerTimeout = Duration.seconds(1)

    private let generation: Generation
    private let executor: any SessionExecutor
    private let inbox: NativeInbox
    private let makeTask: (NativeInbox) -> Result<any NativeTask, ConnectionFailure>
    /// Held until the end was reported or `abort()` was called.
    private var observer: (any TransportObserver)?
    private var task: (any NativeTask)?
    @exclusivity(unchecked) private var life = TaskLife()
    @exclusivity(unchecked) private var sends: SendLedger
    private var pongs = PongSlots()
    /// Our Close frame, while it waits for what was sent before it.
    private var pendingClose: PeerClose?
    private var isReading = true
    /// The message that the task was asked for, if it was: the first, the second, …
    private var awaited: Int?
    private var lastAsked = 0
    private var withheld: Message?
    /// Whether the time for the last word begins once reading goes on.
    private var owesLastWord = false
    private var lastWordTimer: TimerID?

    init(
        _ generation: Generation, limits: Limits, executor: any SessionExecutor,
        observer: any TransportObserver,
        makeTask: @escaping (NativeInbox) -> Result<any NativeTask, ConnectionFailure>
    ) {
        self.generation = generation
        self.executor = executor
        self.observer = observer
        self.makeTask = makeTask
        inbox = NativeInbox(executor: executor)
        sends = SendLedger(highWater: limits.outgoingHighWater, lowWater: limits.outgoingLowWater)
    }

    // MARK: Transport

    func open() {
        guard life.begun() else { return }
        inbox.open(self)
        switch makeTask(inbox) {
        case .success(let task):
            self.task = task
            inbox.calling {
                inbox.tell(.begun)
                task.begin()
            }
        case .failure(let failure):
            let inbox = inbox
            executor.execute {
                inbox.tell(.completed(.failure(failure), answer: nil, peerClose: nil))
            }
        }
    }

    func send(_ message: Message) throws(SendError) -> Bool {
        if let obstacle = life.obstacleToSending { throw obstacle }
        let (slot, hasRoom) = sends.add(bytes: message.byteCount)
        inbox.calling { task?.send(message, slot: slot) }
        return hasRoom
    }

    func ping(_ id: PingID) {
        guard life.isOpen else { return }
        pongs.add(id)
        inbox.calling { task?.ping(id) }
    }

    func close(_ code: CloseCode?, reason: String) {
        guard life.closeAsked() else { return }
        pendingClose = PeerClose(code: code, reason: reason)
        closeIfAllIsSent()
    }

    func abort() {
        life.dropped()
        let task = windUp()
        inbox.calling { task?.drop() }
    }

    func setReading(_ isReading: Bool) {
        guard life.admitsMessages else { return }
        self.isReading = isReading
        guard isReading else { return }
        if owesLastWord { awaitLastWord() }
        guard withheld != nil else { return receive() }
        // Not from within: who asks may be in the middle of taking what came before.
        _ = executor.schedule(at: executor.now()) { self.takeWithheld() }
    }

    // MARK: What the task tells

    func handle(_ event: NativeEvent) {
        switch event {
        case .begun:
            guard life.isConnecting else { return }
            // Foundation does not tell how far it is. What is sure is that the upgrade has not been answered.
            observer?.transportProgressed(generation, .upgrade)
        case .opened(let subprotocol): opened(subprotocol)
        case .received(let number, let result):
            // A second answer to one question answers no other.
            guard number == awaited else { return }
            awaited = nil
            received(result)
        case .sent(let slot, let fault): sent(slot, fault)
        case .ponged(let id, let fault): ponged(id, fault)
        case .peerClosed(let close): follow(life.peerClosed(close))
        case .completed(let fault, let answer, let peerClose):
            follow(life.completed(fault, answer: answer, peerClose: peerClose))
        }
    }

    private func opened(_ subprotocol: String?) {
        guard life.opened() else { return }
        observer?.transportOpened(generation, OpenedConnection(subprotocol: subprotocol))
        receive()
    }

    private func received(_ result: Result<Message, NativeFault>) {
        switch result {
        case .success(let message):
            guard isReading else { return withheld = message }
            report(message)
        case .failure(let fault): follow(life.failed(fault, isReading: true))
        }
    }

    private func report(_ message: Message) {
        observer?.transportReceived(generation, message)
        observer?.transportFinishedBatch(generation)
        receive()
    }

    private func takeWithheld() {
        guard isReading, life.admitsMessages, let message = withheld.take() else { return }
        report(message)
    }

    private func sent(_ slot: SendLedger.Slot, _ fault: NativeFault?) {
        let (isFirst, becameWritable) = sends.settle(slot)
        guard isFirst else { return }
        if let fault { return follow(life.failed(fault, isReading: false)) }
        closeIfAllIsSent()
        if becameWritable, life.isOpen { observer?.transportBecameWritable(generation) }
    }

    private func ponged(_ id: PingID, _ fault: NativeFault?) {
        switch pongs.settle(id, hasFailed: fault != nil) {
        case .nothing: return
        case .pong:
            guard life.isOpen else { return }
            observer?.transportReceivedPong(generation, id)
        case .fault:
            guard let fault else { return }
            follow(life.failed(fault, isReading: false))
        }
    }

    private func receive() {
        guard isReading, awaited == nil, withheld == nil, life.admitsMessages else { return }
        lastAsked &+= 1
        awaited = lastAsked
        inbox.calling { task?.receive(lastAsked) }
    }

    private func closeIfAllIsSent() {
        guard sends.isEmpty, let close = pendingClose.take() else { return }
        inbox.calling { task?.close(close.code, reason: close.reason) }
    }

    // MARK: The end

    private func follow(_ outcome: TaskLife.Outcome) {
        switch outcome {
        case .nothing: return
        case .awaitLastWord:
            owesLastWord = true
            if isReading { awaitLastWord() }
        case .ended(let cause): end(cause)
        }
    }

    private func awaitLastWord() {
        owesLastWord = false
        let deadline = executor.now().advanced(by: Self.lastWordTimeout)
        lastWordTimer = executor.schedule(at: deadline) {
            self.lastWordTimer = nil
            self.follow(self.life.timeIsUp())
        }
    }

    private func end(_ cause: CloseCause) {
        let observer = observer
        // Kept back for a reader that will not be asked again: it came before the end.
        if let message = withheld.take() {
            observer?.transportReceived(generation, message)
        }
        guard let task = windUp() else {
            observer?.transportClosed(generation, cause)
            return
        }
        inbox.calling { task.release() }
        _ = executor.schedule(at: executor.now().advanced(by: Self.lingerTimeout)) { task.drop() }
        observer?.transportFinishedBatch(generation)
        observer?.transportClosed(generation, cause)
    }

    /// Cuts every tie, and gives the task to be let go of.
    private func windUp() -> (any NativeTask)? {
        inbox.close()
        observer = nil
        withheld = nil
        pendingClose = nil
        owesLastWord = false
        if let lastWordTimer { executor.cancel(lastWordTimer) }
        lastWordTimer = nil
        return task.take()
    }
}
