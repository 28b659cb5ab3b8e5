import HeartwireSession

/// Where everything that a ``NativeTask`` tells enters the transport's domain, in the order of its arrival
/// (promise T5).
///
/// The system keeps the closures that it was given for as long as it likes; they hold this, and not the transport.
///
/// `@unchecked Sendable`: what changes is touched in the domain only.
final class NativeInbox: @unchecked Sendable {
    private let executor: any SessionExecutor
    /// Who is told; `nil` once the connection is over.
    private var transport: URLSessionTransport?
    /// Whether the domain is in the middle of a call to the task. What is told from within waits for its turn.
    private var isCalling = false

    init(executor: any SessionExecutor) {
        self.executor = executor
    }

    /// Tells `transport` from now on. In the domain.
    func open(_ transport: URLSessionTransport) {
        self.transport = transport
    }

    /// Tells nobody any more. In the domain.
    func close() {
        transport = nil
    }

    /// Calls the task; whatever it tells from within comes later. In the domain.
    func calling(_ body: () -> Void) {
        let wasCalling = isCalling
        isCalling = true
        body()
        isCalling = wasCalling
    }

    /// Takes what the task tells. Any thread may call this.
    func tell(_ event: NativeEvent) {
        guard executor.isCurrent, !isCalling else {
            return executor.execute { self.transport?.handle(event) }
        }
        transport?.handle(event)
    }
}
