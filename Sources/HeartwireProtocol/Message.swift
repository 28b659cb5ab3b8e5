/// One whole message of the application (RFC 6455 §5.6), whatever number of frames carried it.
public enum Message: Sendable, Hashable {
    /// Text. On the wire it is UTF-8, and text that is not valid UTF-8 never becomes a message.
    case text(String)
    /// Bytes whose meaning is the application's own.
    case binary([UInt8])

    /// How many bytes the payload takes on the wire, without frame headers.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
