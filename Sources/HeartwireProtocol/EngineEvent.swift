/// What a ``ConnectionEngine`` reports, in the order in which it happened.
public enum EngineEvent: Sendable, Hashable {
    /// Server: a lawful opening request is there. Answer with
    /// ``ConnectionEngine/accept(subprotocol:headers:compression:codec:)`` or
    /// ``ConnectionEngine/reject(status:headers:body:)``.
    indirect case requestReceived(OpeningRequestHead)
    /// Client: the server's 101 was verified (RFC 6455 §4.1); the connection is open.
    indirect case opened(OpeningResult)
    /// Client: the server answered with a status other than 101.
    indirect case refused(Refusal)
    /// A whole message arrived.
    case message(Message)
    /// The peer pinged. The pong is queued already (RFC 6455 §5.5.2).
    case pingReceived([UInt8])
    /// A pong arrived, asked for or not (RFC 6455 §5.5.3).
    case pongReceived([UInt8])
    /// The peer's Close frame arrived; `nil` when it held no code. The answer is queued already if no
    /// Close frame had been sent before (RFC 6455 §5.5.1). At most once.
    indirect case closeReceived(CloseCode?, reason: String)
    /// The peer broke a rule and the connection is failed (RFC 6455 §7.1.7). If it was open, a
    /// Close frame with the violation's code is queued. At most once.
    indirect case failed(ProtocolViolation)
    /// The peer finished its side of the stream, after everything before it. Exactly once.
    case ended
}
