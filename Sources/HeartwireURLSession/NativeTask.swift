import HeartwireProtocol
import HeartwireSession

/// One connection of the system's, as far as the transport needs it. Foundation's WebSocket task is one; a test's task
/// that misbehaves is another.
///
/// What is asked for here is answered through the ``NativeInbox`` that the task was made with: on any thread,
/// twice, late, with an error, or never.
protocol NativeTask: AnyObject {
    /// Begins to connect.
    func begin()
    /// Queues a message behind those before it. Answered by ``NativeEvent/sent(_:_:)``.
    func send(_ message: Message, slot: SendLedger.Slot)
    /// Asks for one message. Answered by ``NativeEvent/received(_:_:)`` with the same number.
    func receive(_ number: Int)
    /// Sends a ping. Answered by ``NativeEvent/ponged(_:_:)``.
    func ping(_ id: PingID)
    /// Begins the closing handshake.
    func close(_ code: CloseCode?, reason: String)
    /// Lets go of the task: what is under way may end, for a completed one at once.
    func release()
    /// Ends the task now.
    func drop()
}

/// What a ``NativeTask`` tells.
enum NativeEvent: Sendable {
    /// The task was told to begin; the first of all.
    case begun
    /// The opening handshake succeeded.
    case opened(subprotocol: String?)
    /// The message that was asked for under this number came, or no message will come any more.
    case received(Int, Result<Message, NativeFault>)
    /// A message was handed to the network, or will not be.
    case sent(SendLedger.Slot, NativeFault?)
    /// The pong for a ping came, or will not come.
    case ponged(PingID, NativeFault?)
    /// The peer's Close frame came.
    case peerClosed(PeerClose)
    /// The task is done, with what it knows of its end; see ``TaskLife/completed(_:answer:peerClose:)``.
    case completed(NativeFault?, answer: Refusal?, peerClose: PeerClose?)
}

/// Why something that was asked of a ``NativeTask`` failed.
enum NativeFault: Error, Sendable, Hashable {
    /// The network failed.
    case failure(ConnectionFailure)
    /// The system found the peer breaking a rule, and has dealt with it.
    case violation(ProtocolViolation)
}
