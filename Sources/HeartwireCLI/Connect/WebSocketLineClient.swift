import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// The real client as `connect` uses it: the first attempt decides at once, and a connection that was open and is
/// lost is made anew. Tells every state.
final class WebSocketLineClient: LineClient {
    /// What decides whether a lost connection is made anew.
    private struct Wish {
        /// Between connections: a wait, or an attempt behind it.
        var isBetween = false
        var isLast = false
    }

    private let client: WebSocketClient
    private let url: WebSocketURL
    private let ledger: LineLedger
    private let heartbeat: HeartbeatSettings?
    private let tell: @Sendable (String) -> Void
    private let messages: MessageSource
    private let wish = Locked(Wish())
    private let follower = Locked<Task<CloseCause, Never>?>(nil)

    /// Makes a client that does nothing until ``open()``.
    ///
    /// - Parameters:
    ///   - url: the server.
    ///   - ledger: told of pings, pongs and the ends of connections, as they come.
    ///   - tell: takes one line for each state, not yet escaped.
    ///   - configuration: the client's configuration. Its journal, if it has one, hears what it would hear.
    /// - Throws: what ``WebSocketClient`` throws for a configuration that cannot be used.
    init(
        _ url: WebSocketURL, ledger: LineLedger, tell: @escaping @Sendable (String) -> Void,
        configuration: ClientConfiguration
    ) throws {
        var configuration = configuration
        // In the client's own domain, so that the ledger hears in the order in which it happens.
        configuration.journal = { [journal = configuration.journal] event in
            ledger.note(event)
            if event.kind == .symptom, let cause = event.cause {
                tell(StateLine.text(forSymptom: cause, number: event.number))
            }
            journal?(event)
        }
        client = try WebSocketClient(url, configuration: configuration)
        self.url = url
        self.ledger = ledger
        heartbeat = configuration.heartbeat
        self.tell = tell
        // Claimed before there is a connection: a session that stops at once ends this very sequence.
        messages = MessageSource(client.messages.makeAsyncIterator())
    }

    func open() async -> Bool {
        let (opened, sink) = AsyncStream.makeStream(of: Bool.self)
        let follower = Task {
            // Made before there is anything to miss.
            let states = client.states.makeAsyncIterator()
            await client.connect()
            return await follow(states) { sink.yield($0) }
        }
        self.follower.withLock { $0 = follower }
        for await isOpen in opened { return isOpen }
        return false
    }

    /// Follows the states to the end of the session.
    ///
    /// - Parameter decided: told whether the first attempt succeeded.
    /// - Returns: the cause of the last connection's end.
    private func follow(
        _ states: sending States.Iterator, decided: (Bool) -> Void
    ) async -> CloseCause {
        var states = states
        var isOpened = false
        var last: CloseCause?
        while let state = await states.next() {
            let isLast = wish.withLock { wish in
                switch state {
                case .waiting: wish.isBetween = true
                case .connecting: break
                case .idle, .open, .closing, .suspended, .stopped: wish.isBetween = false
                }
                return wish.isLast || !isOpened
            }
            switch state {
            case .idle: continue
            case .closing, .suspended: await tell(state)
            case .connecting:
                // The end of the input has come between the wait and its attempt.
                if isLast, isOpened { await client.giveUpAttempt() } else { await tell(state) }
            case .open:
                (isOpened, last) = (true, nil)
                await tell(state)
                decided(true)
            case .waiting(_, _, let cause):
                last = cause
                if isLast { await client.giveUpAttempt() } else { await tell(state) }
            case .stopped(let stop):
                decided(false)
                return Self.cause(of: stop, behind: last)
            }
        }
        return last ?? .closedByApp(sent: nil, answer: nil)
    }

    /// - Parameter last: why the connection ended behind which there was no other.
    private static func cause(of stop: StopCause, behind last: CloseCause?) -> CloseCause {
        switch stop {
        case .refusedToRetry(let cause), .attemptsExhausted(let cause): cause
        // An attempt that was given up is no connection.
        case .disconnected(let cause): last ?? cause ?? .closedByApp(sent: nil, answer: nil)
        }
    }

    private func tell(_ state: SessionState) async {
        // The connection may have ended since; its successor is not waited for.
        let opened: OpenedConnection? =
            if case .open = state { await client.openedConnection } else { nil }
        if let line = StateLine.text(for: state, url: url, opened: opened) { tell(line) }
    }

    func send(_ message: Message) async -> LineOutcome {
        var refusing: Generation?
        while true {
            let ended = ledger.endedConnections
            do throws(SendError) {
                try await client.send(message)
                return .sent(endedBefore: ended)
            } catch .connectionEnded {
                // It was handed over all the same; the ledger has heard of the end.
                return .sent(endedBefore: ended)
            } catch {
                guard let generation = await nextOpen(after: refusing) else { return .ended }
                refusing = generation
            }
        }
    }

    /// Waits for an open connection other than `refusing`, which has seen the peer's close and is about to end.
    private func nextOpen(after refusing: Generation?) async -> Generation? {
        for await state in client.states {
            switch state {
            case .open(let generation) where generation != refusing: return generation
            case .stopped: return nil
            case .idle, .connecting, .open, .closing, .waiting, .suspended: continue
            }
        }
        return nil
    }

    func nextMessage() async -> Message? {
        await messages.next()
    }

    func unacknowledgedBytes() async -> Int {
        await client.unacknowledgedBytes
    }

    func pauseHeartbeat(_ isPaused: Bool) async {
        // The settings were taken before.
        try? await client.setHeartbeat(isPaused ? nil : heartbeat)
    }

    func stopReconnecting() async {
        let endsNow = wish.withLock { wish in
            wish.isLast = true
            return wish.isBetween
        }
        if endsNow { await client.giveUpAttempt() }
    }

    func close(_ code: CloseCode) async {
        // The codes that this command closes with are lawful.
        try? await client.disconnect(code: code)
    }

    func droppedMessages() async -> Int {
        await client.streamStatus.droppedMessages
    }

    func cause() async -> CloseCause {
        let cause = await follower.withLock { $0 }?.value
        // One more turn of the domain: what was owed to the peer, such as the answer to its Close, has been
        // written by then.
        _ = await client.state
        return cause ?? .closedByApp(sent: nil, answer: nil)
    }
}

extension JournalEvent {
    /// What the end of a connection, as the journal has it, says of its lines.
    fileprivate var lineEnd: LineLedger.End {
        guard cause == .closedByPeer else { return .broken }
        let code = number.map { CloseCode(rawValue: UInt16(clamping: $0)) }
        return PeerClose(code: code).isInOrder ? .inOrder : .closed
    }
}

extension WebSocketClient {
    /// Ends the session where no connection is open. Who follows the states may be behind, and one that has opened
    /// meanwhile carries lines.
    fileprivate func giveUpAttempt() async {
        switch state {
        case .waiting, .connecting: await disconnect()
        case .idle, .open, .closing, .suspended, .stopped: return
        }
    }
}

extension LineLedger {
    /// What the client's journal says of pings, pongs and ends.
    fileprivate func note(_ event: JournalEvent) {
        switch event.kind {
        case .pingSent: notePing()
        case .pongReceived: notePong()
        case .closed: noteConnectionEnd(event.lineEnd)
        case .connectRequested, .disconnectRequested, .checkRequested, .suspendRequested,
            .resumeRequested, .pathChanged, .heartbeatChanged, .requestAsked, .requestProvided,
            .progressed, .opened, .pingReceived, .closeSent, .aborted, .stale, .symptom,
            .stateChanged, .readingPaused, .readingResumed:
            break
        }
    }
}

/// The one consumer's place among the messages. Confined to the task that takes them, one at a time; that is
/// what makes `@unchecked Sendable` true.
private final class MessageSource: @unchecked Sendable {
    private var iterator: Messages.Iterator

    init(_ iterator: Messages.Iterator) {
        self.iterator = iterator
    }

    func next() async -> Message? {
        await iterator.next()
    }
}
