import Heartwire
import HeartwireProtocol
import HeartwireSession

/// The public client as the suite's peer: nothing of its own accord, everything else as by default.
enum AutobahnClient {
    /// Connects to `url` and stays until the session has stopped, `limit` at the most.
    ///
    /// - Throws: What ``WebSocketClient`` throws for a URL that it cannot connect to.
    static func visit(
        _ url: String, _ mode: AutobahnCommand.Mode, limit: Duration
    ) async throws -> AutobahnVisit {
        let client = try WebSocketClient(url) {
            // The suite counts every frame, and a case that went wrong is not to be tried again.
            $0.heartbeat = nil
            $0.reconnect = nil
        }
        let work = Task(executorPreference: client.executor) {
            await exchange(client, mode)
        }
        let watch = Task {
            try await Task.sleep(for: limit)
            await client.disconnect()
        }
        defer { watch.cancel() }
        let messages = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        return AutobahnVisit(messages: messages, cause: cause(of: await client.state))
    }

    /// Messages are asked for before there is a connection, so that none is missed.
    private static func exchange(
        _ client: WebSocketClient, _ mode: AutobahnCommand.Mode
    ) async -> [Message] {
        var messages = client.messages.makeAsyncIterator()
        await client.connect()
        var kept: [Message] = []
        while let message = await messages.next() {
            switch mode {
            // What cannot be sent any more belongs to a connection that is ending.
            case .echo: try? await client.send(message)
            case .collect: kept.append(message)
            }
        }
        return kept
    }

    private static func cause(of state: SessionState) -> CloseCause? {
        switch state {
        case .stopped(.disconnected(let cause)): cause
        case .stopped(.refusedToRetry(let cause)), .stopped(.attemptsExhausted(let cause)): cause
        case .idle, .connecting, .open, .closing, .waiting, .suspended: nil
        }
    }
}
