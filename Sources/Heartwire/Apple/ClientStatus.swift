#if canImport(Observation)
    public import HeartwireSession
    public import Observation

    /// The state of a client for a view (promise S4): `@Observable`, on the main actor, the present state first.
    ///
    /// ```swift
    /// struct FeedView: View {
    ///     @State var status: ClientStatus
    ///     var body: some View { Text(status.isOpen ? "connected" : "offline") }
    /// }
    /// ```
    ///
    /// It watches from its making until it is let go of or the client is gone, and does not keep the client.
    @MainActor
    @Observable
    public final class ClientStatus {
        /// Where the client stands.
        public private(set) var state = SessionState.idle
        /// Why the last connection ended; `nil` before the first end.
        public private(set) var lastCause: CloseCause?
        @ObservationIgnored private let watch = TaskHandle<Void>()

        /// Watches `client`. Its state arrives with the next turn of the main actor.
        public init(of client: WebSocketClient) {
            let states = client.states
            let task = Task { [weak self] in
                for await state in states {
                    guard let self else { return }
                    take(state)
                }
            }
            watch.adopt(task)
        }

        deinit { watch.cancel() }

        /// Whether messages can be sent.
        public var isOpen: Bool {
            if case .open = state { true } else { false }
        }

        private func take(_ state: SessionState) {
            self.state = state
            if let cause = Self.cause(in: state) { lastCause = cause }
        }

        private static func cause(in state: SessionState) -> CloseCause? {
            switch state {
            case .waiting(_, _, let cause): cause
            case .suspended(let cause): cause
            case .stopped(let stop): cause(in: stop)
            case .idle, .connecting, .open, .closing: nil
            }
        }

        private static func cause(in stop: StopCause) -> CloseCause? {
            switch stop {
            case .disconnected(let cause): cause
            case .refusedToRetry(let cause), .attemptsExhausted(let cause): cause
            }
        }
    }
#endif
