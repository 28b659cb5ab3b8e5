public import HeartwireProtocol
import HeartwireSession

// Plain sending. Here and not in the actor's own body, so that a caller in another module has it inlined: a call that may
// suspend costs each caller a look at its task's executor, for each message.
extension WebSocketClient {
    /// Sends a message, at most once (promise D1).
    ///
    /// Returns when the message went to the transport; when more than the limit waits there, after the
    /// backlog has gone down. From a task that prefers ``executor`` there is no thread hop; from anywhere else there is
    /// none while the event loop sleeps: the caller's thread then writes to the socket itself.
    ///
    /// Who sends much before reading, to a server that answers each message, can make both sides wait for each other: what
    /// nobody reads here suspends the server, which then reads no more from here. Read in a task of its own.
    ///
    /// - Throws: `SendError.notOpen` when there is no open connection. While waiting for room:
    ///   `SendError.connectionEnded` when the connection ended, `SendError.cancelled` when the task was
    ///   cancelled; the message may or may not arrive then.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ message: Message) async throws(SendError) {
        // First a step that cannot suspend.
        let step = try sendAtOnce(message)
        if case .sent = step { return }
        try await finishSending(message, after: step)
    }

    @usableFromInline
    nonisolated(nonsending) func finishSending(
        _ message: Message, after step: FirstStep
    ) async throws(SendError) {
        switch step {
        case .sent: return
        case .sentOverMark: try await waitForRoom()
        case .sentElsewhereOverMark(let answered): try await waitForRoomElsewhere(since: answered)
        case .notSent: try await sendInTurn(message)
        }
    }

    /// How far ``send(_:)`` comes without a suspension.
    @usableFromInline
    enum FirstStep {
        case sent
        /// More than the limit waits now.
        case sentOverMark
        /// The same for a caller from elsewhere, and how often there has been room.
        case sentElsewhereOverMark(UInt64)
        /// Nothing has happened: the domain is busy, or messages wait ahead of this one.
        case notSent
    }

    @usableFromInline
    nonisolated func sendAtOnce(_ message: Message) throws(SendError) -> FirstStep {
        try core.sendAtOnce(message)
    }

    private nonisolated(nonsending) func waitForRoom() async throws(SendError) {
        try await core.waitForRoom(isolation: #isolation)
    }

    private nonisolated(nonsending) func sendInTurn(_ message: Message) async throws(SendError) {
        guard core.executor.isCurrent else { return try await sendFromElsewhere(message) }
        while core.isBacklogged { try await waitForRoom() }
        if try !core.send(message) { try await waitForRoom() }
    }

    /// Room that has come before this has got into the domain counts.
    private func waitForRoomElsewhere(since answered: UInt64) async throws(SendError) {
        guard core.answeredWriters == answered else { return try core.lastRoom.checked() }
        try await core.waitForRoom(isolation: self)
    }

    private func sendFromElsewhere(_ message: Message) async throws(SendError) {
        while core.isBacklogged {
            try await core.waitForRoom(isolation: self)
        }
        guard try !core.send(message) else { return }
        try await core.waitForRoom(isolation: self)
    }
}

// In the core, whose own executor is asked without a count of references.
extension ClientCore {
    fileprivate func sendAtOnce(
        _ message: Message
    ) throws(SendError) -> WebSocketClient.FirstStep {
        guard executor.isCurrent else { return try sendBorrowing(message) }
        guard !isBacklogged else { return .notSent }
        return try send(message) ? .sent : .sentOverMark
    }

    /// Sends on the caller's thread while the domain has nothing to do (docs/decisions/0019).
    private func sendBorrowing(_ message: Message) throws(SendError) -> WebSocketClient.FirstStep {
        var outcome = Result<WebSocketClient.FirstStep, SendError>.success(.notSent)
        _ = executor.borrow {
            guard !isBacklogged else { return }
            outcome = Result { () throws(SendError) in
                try send(message) ? .sent : .sentElsewhereOverMark(answeredWriters)
            }
        }
        return try outcome.get()
    }
}
