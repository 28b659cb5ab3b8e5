import HeartwireProtocol
import HeartwireSession

/// What Foundation's WebSocket task has told of its end, taken together as one (promises T1, T3, G4).
///
/// Theory of operation. A task tells its end by up to four ways, in no fixed order, some of them twice or never: the
/// pending `receive` fails, sends and pings fail, the delegate hears of a Close frame, and the delegate hears of
/// the completion. They are symptoms of one end. A Close frame of the peer is the best explanation, then the first
/// fault. The end is reported once: at the completion, or when everything before a Close frame was read, or
/// when the completion has not come in time. A callback that comes later, or again, finds `ended`.
///
///     state       opened   received   failed     peerClosed   completed   timeIsUp
///     fresh       –        –          –          –            –           –
///     connecting  → open   –          –          –            → ended     –
///     open        –        report     → ending   → ending     → ended     –
///     ending      –        report     note       note         → ended     → ended
///     ended       –        –          –          –            –           –
struct TaskLife {
    private enum State {
        /// `begun` was not called. Next: connecting, ended.
        case fresh
        /// The opening handshake is under way. Next: open, ended.
        case connecting
        /// Messages flow. Next: ending, ended.
        case open(isClosing: Bool)
        /// Something ended the connection; what else there is to say of it may follow. Next: ended.
        case ending(Ending)
        /// Reported or dropped. Final.
        case ended
    }

    private struct Ending {
        /// The Close frame of the peer, if one was seen.
        var peerClose: PeerClose?
        /// The first fault.
        var fault: NativeFault?
        /// Whether this side had begun the closing handshake, so that the task's own word for a code may be ours.
        var isClosing: Bool
        /// Whether nothing more will be received.
        var hasReadAll: Bool

        var cause: CloseCause {
            if let peerClose { return .closedByPeer(peerClose) }
            switch fault {
            case .failure(let failure): return .connectionLost(failure)
            case .violation(let violation): return .protocolViolation(violation)
            case nil: return .connectionLost(ConnectionFailure(.endOfStream))
            }
        }
    }

    /// What follows from an event.
    enum Outcome: Equatable {
        /// Nothing.
        case nothing
        /// The connection is about to end: wait for more to be said, for a bounded time.
        case awaitLastWord
        /// The connection has ended for this cause, which is to be reported.
        case ended(CloseCause)
    }

    private var state = State.fresh

    /// Why nothing can be sent now; `nil` when it can.
    var obstacleToSending: SendError? {
        switch state {
        case .fresh, .connecting: .notOpen
        case .open(isClosing: false): nil
        case .open(isClosing: true): .closing
        case .ending, .ended: .closed
        }
    }

    /// Whether messages are still wanted.
    var admitsMessages: Bool {
        switch state {
        case .fresh, .connecting, .ended: false
        case .open, .ending: true
        }
    }

    /// Whether the opening handshake is under way.
    var isConnecting: Bool {
        switch state {
        case .connecting: true
        case .fresh, .open, .ending, .ended: false
        }
    }

    /// Whether a sign of life can be asked for.
    var isOpen: Bool {
        switch state {
        case .open: true
        case .fresh, .connecting, .ending, .ended: false
        }
    }

    /// Whether this side has begun the closing handshake.
    var isClosing: Bool {
        switch state {
        case .open(let isClosing): isClosing
        case .fresh, .connecting, .ending, .ended: false
        }
    }

    /// Whether nothing is to be reported any more.
    var hasEnded: Bool {
        switch state {
        case .ended: true
        case .fresh, .connecting, .open, .ending: false
        }
    }

    // MARK: What this side does

    /// The task is to connect. Answers whether this is the first time.
    mutating func begun() -> Bool {
        switch state {
        case .fresh:
            state = .connecting
            return true
        case .connecting, .open, .ending, .ended: return false
        }
    }

    /// The app wants the closing handshake. Answers whether it begins with this.
    mutating func closeAsked() -> Bool {
        switch state {
        case .open(isClosing: false):
            state = .open(isClosing: true)
            return true
        case .fresh, .connecting, .open, .ending, .ended: return false
        }
    }

    /// The connection was dropped, and nothing is to be reported.
    mutating func dropped() {
        state = .ended
    }

    // MARK: What the task tells

    /// The opening handshake succeeded. Answers whether that is to be reported.
    mutating func opened() -> Bool {
        switch state {
        case .connecting:
            state = .open(isClosing: false)
            return true
        case .fresh, .open, .ending, .ended: return false
        }
    }

    /// A `receive`, a send or a ping failed.
    ///
    /// - Parameter isReading: Whether it was the `receive`, so that no other follows.
    mutating func failed(_ fault: NativeFault, isReading: Bool) -> Outcome {
        switch state {
        case .fresh, .connecting, .ended: return .nothing
        case .open(let isClosing):
            state = .ending(Ending(fault: fault, isClosing: isClosing, hasReadAll: isReading))
            return .awaitLastWord
        case .ending(var ending):
            if ending.fault == nil { ending.fault = fault }
            if isReading { ending.hasReadAll = true }
            return settle(ending)
        }
    }

    /// The peer's Close frame came.
    mutating func peerClosed(_ close: PeerClose) -> Outcome {
        switch state {
        case .fresh, .connecting, .ended: return .nothing
        case .open(let isClosing):
            state = .ending(Ending(peerClose: close, isClosing: isClosing, hasReadAll: false))
            return .awaitLastWord
        case .ending(var ending):
            if ending.peerClose == nil { ending.peerClose = close }
            return settle(ending)
        }
    }

    /// The task is done; it tells nothing after this.
    ///
    /// - Parameters:
    ///   - fault: With which error, if any.
    ///   - answer: The answer to the opening request, if there was any.
    ///   - peerClose: What the task knows of a Close frame. Before this side has begun to close, that is the peer's.
    mutating func completed(
        _ fault: NativeFault?, answer: Refusal?, peerClose: PeerClose?
    ) -> Outcome {
        switch state {
        case .fresh, .ended: return .nothing
        case .connecting: return end(Self.openingFailure(fault, answer))
        case .open(let isClosing):
            let ending = Ending(
                peerClose: isClosing ? nil : peerClose, fault: fault, isClosing: isClosing,
                hasReadAll: true)
            return end(ending.cause)
        case .ending(var ending):
            if ending.peerClose == nil, !ending.isClosing { ending.peerClose = peerClose }
            if ending.fault == nil { ending.fault = fault }
            return end(ending.cause)
        }
    }

    /// The time that more could be said in is over.
    mutating func timeIsUp() -> Outcome {
        switch state {
        case .fresh, .connecting, .open, .ended: return .nothing
        case .ending(let ending): return end(ending.cause)
        }
    }

    // MARK: Inside

    /// With the peer's Close frame, and all read that came before it, there is nothing more to wait for.
    private mutating func settle(_ ending: Ending) -> Outcome {
        guard ending.hasReadAll, ending.peerClose != nil else {
            state = .ending(ending)
            return .nothing
        }
        return end(ending.cause)
    }

    private mutating func end(_ cause: CloseCause) -> Outcome {
        state = .ended
        return .ended(cause)
    }

    private static func openingFailure(_ fault: NativeFault?, _ answer: Refusal?) -> CloseCause {
        if let answer {
            guard answer.status == 101 else { return .refused(answer) }
            return .badHandshake(
                ProtocolViolation(
                    closeCode: .protocolError, clause: "4.1",
                    expected: "an answer that takes up the upgrade",
                    seen: "a 101 that the system does not accept"))
        }
        switch fault {
        case .violation(let violation): return .badHandshake(violation)
        case .failure(let failure): return .connectFailed(failure)
        case nil: return .connectFailed(ConnectionFailure(.endOfStream))
        }
    }
}
