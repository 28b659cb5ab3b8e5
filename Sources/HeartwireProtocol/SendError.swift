/// The *caller* asked for something that cannot be sent. Nothing was queued, but for the two errors of a
/// message that waited for room.
///
/// Its counterpart for faults of the peer is ``ProtocolViolation``.
public struct SendError: Error, Sendable, Hashable {
    private enum Fault: Sendable, Hashable {
        case notOpen
        case closing
        case closed
        case connectionEnded
        case cancelled
        case reservedCloseCode(CloseCode)
        case reasonWithoutCode
        case reasonTooLong(Int)
        case controlPayloadTooLong(Int)
    }

    private let fault: Fault

    private init(_ fault: Fault) {
        self.fault = fault
    }

    /// No connection is open: none was made yet, its opening handshake is not complete, or the last one ended.
    public static let notOpen = SendError(.notOpen)
    /// A Close frame was sent: nothing may follow it (RFC 6455 §5.5.1).
    public static let closing = SendError(.closing)
    /// The connection is over.
    public static let closed = SendError(.closed)
    /// The connection ended while the message waited for room: whether it arrived is not known.
    public static let connectionEnded = SendError(.connectionEnded)
    /// The task was cancelled while the message waited for room: it goes out if the connection lasts.
    public static let cancelled = SendError(.cancelled)
    /// The code may not stand in a Close frame (RFC 6455 §7.4).
    public static func reservedCloseCode(_ code: CloseCode) -> SendError {
        SendError(.reservedCloseCode(code))
    }
    /// A reason can only follow a code (RFC 6455 §5.5.1).
    public static let reasonWithoutCode = SendError(.reasonWithoutCode)
    /// The reason takes `bytes` bytes of UTF-8; a Close frame has room for 123 (RFC 6455 §5.5).
    public static func reasonTooLong(_ bytes: Int) -> SendError {
        SendError(.reasonTooLong(bytes))
    }
    /// The payload of a ping or pong has `bytes` bytes; 125 are allowed (RFC 6455 §5.5).
    public static func controlPayloadTooLong(_ bytes: Int) -> SendError {
        SendError(.controlPayloadTooLong(bytes))
    }
}

extension SendError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch fault {
        case .notOpen: "no connection is open"
        case .closing: "the connection is closing"
        case .closed: "the connection is closed"
        case .connectionEnded: "the connection ended before the message went out"
        case .cancelled: "the task was cancelled before the message went out"
        case .reservedCloseCode(let code): "the close code \(code) may not be sent"
        case .reasonWithoutCode: "a close reason needs a close code"
        case .reasonTooLong(let bytes): "the close reason has \(bytes) bytes of at most 123"
        case .controlPayloadTooLong(let bytes):
            "the ping or pong payload has \(bytes) bytes of at most 125"
        }
    }
}
