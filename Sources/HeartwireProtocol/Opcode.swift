/// What a frame is (RFC 6455 §5.2). The numbers not listed are reserved and fail the connection.
enum Opcode: UInt8, Sendable, Hashable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames are short and never fragmented (§5.5).
    var isControl: Bool { rawValue & 0x8 != 0 }

    /// The word for it in a violation's text.
    var name: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}
