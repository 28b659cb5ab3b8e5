public import HeartwireProtocol

/// What the owner of a ``SessionMachine`` must do. Effects are run in the order in which they were
/// given, also when running one of them leads to another event: its effects queue up behind.
/// Before one runs, ``SessionMachine/permits(_:)`` is asked (G2).
public enum SessionEffect: Sendable, Hashable {
    /// Ask the app's provider for a request; answer with `requestProvided` or `requestFailed`.
    case askForRequest(Generation, attempt: Int)
    /// Make the transport with the request that was provided, and open it.
    case openTransport(Generation)
    /// Ping the peer.
    case sendPing(Generation, PingID)
    /// Begin the closing handshake; the machine bounds it.
    case closeTransport(Generation, code: CloseCode?, reason: String)
    /// Drop whatever there is of this connection at once: the provider's answer, the transport.
    case abortTransport(Generation)
    /// Tell the app of a new state.
    case publish(SessionState)
    /// Tell the app why the connection ended. Exactly one for each generation that was asked for.
    case connectionEnded(Generation, CloseCause)

    /// The connection that this effect belongs to; `nil` for a state that has none.
    public var generation: Generation? {
        switch self {
        case .askForRequest(let generation, _), .openTransport(let generation),
            .sendPing(let generation, _), .closeTransport(let generation, _, _),
            .abortTransport(let generation), .connectionEnded(let generation, _):
            generation
        case .publish(let state): state.generation
        }
    }
}

/// The effects of one event, in the order in which they must run. Most events have none, and an empty array
/// costs no allocation.
public typealias SessionEffects = [SessionEffect]
