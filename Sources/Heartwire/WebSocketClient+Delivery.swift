public import HeartwireProtocol
import HeartwireSession

// Guaranteed delivery and the end that goes with it.
extension WebSocketClient {
    /// Takes a message in for delivery, at least once (promise D2). Needs ``ClientConfiguration/outbox``.
    ///
    /// Returns when the message is stored; the receipt tells the rest. Messages go out in the order of their ids, on
    /// this connection or a later one, and again on the next as long as they are not confirmed. A peer that must
    /// not act twice tells them apart by the id: see ``OutboxConfiguration/envelope``.
    ///
    /// - Parameters:
    ///   - message: What is to arrive.
    ///   - sessionBound: Whether the message means something on the present connection only. It is not
    ///     kept on the disk, and is rejected with `sessionEnded` rather than sent on another one.
    /// - Throws: ``DeliveryError``; nothing is promised then.
    public func deliver(
        _ message: Message, sessionBound: Bool = false
    ) async throws(DeliveryError) -> Receipt {
        guard let delivery = core.delivery else { throw .noOutbox }
        return try await delivery.deliver(
            message, isSessionBound: sessionBound, isolation: self
        ).get()
    }

    /// Takes many messages in for delivery, in their order, as one call of ``deliver(_:sessionBound:)`` for each would
    /// (promise D2), without a suspension for each: a store on the disk keeps them with few waits.
    ///
    /// Returns when it is known of each message what became of it: its receipt, or why nothing is promised for it. One
    /// that is refused holds up none behind it. Give up to some thousand at a time: the client does nothing else while it
    /// takes them in.
    ///
    /// - Returns: as many results as there are messages, in their order.
    /// - Throws: ``DeliveryError/noOutbox``; nothing is promised then. A task that is cancelled while messages wait for
    ///   room has ``DeliveryError/cancelled`` for those.
    public func deliver(
        contentsOf messages: [Message]
    ) async throws(DeliveryError) -> [Result<Receipt, DeliveryError>] {
        guard let delivery = core.delivery else { throw .noOutbox }
        return await delivery.deliver(contentsOf: messages, isolation: self)
    }

    /// What the outbox has done and holds now; all zero without one.
    public var outboxStatus: OutboxStatus { core.delivery?.presentStatus ?? OutboxStatus() }

    /// Ends the client: takes nothing in any more, flushes queues and batches, sends and confirms what is stored, closes with 1000, and hands the
    /// store back (promise D6).
    ///
    /// Returns when the session has stopped and the store is closed. What is not confirmed by then stays
    /// stored. A suspended session is resumed first. When the session is stopped, there is nothing to wait for; while it waits to connect again, or connects,
    /// `grace` may be enough for that. A client that was shut down delivers no more.
    ///
    /// - Parameter grace: The time for what is stored to be confirmed. The close that follows has
    ///   ``ClientConfiguration/closeTimeout`` besides.
    public func shutdown(grace: Duration = .seconds(5)) async -> ShutdownReport {
        let delivery = core.delivery
        core.flushOutgoing(.shutdown)
        delivery?.stopIntake()
        core.resume()
        if let delivery, core.states.current.isGoing {
            let executor = core.executor
            let timer = executor.schedule(at: executor.now().advanced(by: grace)) {
                delivery.stopDraining()
            }
            await withTaskCancellationHandler(
                operation: {
                    await delivery.drain(isolation: self)
                },
                onCancel: { executor.execute { delivery.stopDraining() } },
                isolation: self)
            executor.cancel(timer)
        }
        core.disconnect(code: .normalClosure, reason: "")
        await waitUntilClosed()
        await closeStore()
        return ShutdownReport(
            left: delivery?.outbox.unsettled ?? [], cause: core.states.current.stopCause)
    }

    private func closeStore() async {
        guard let delivery = core.delivery else { return }
        await withUnsafeContinuation { continuation in
            delivery.close { continuation.resume() }
        }
    }
}

extension SessionState {
    /// Whether the session has a connection or is going to have one.
    fileprivate var isGoing: Bool {
        switch self {
        case .idle, .stopped: false
        case .connecting, .open, .closing, .waiting, .suspended: true
        }
    }

    fileprivate var stopCause: StopCause? {
        guard case .stopped(let cause) = self else { return nil }
        return cause
    }
}
