import HeartwireProtocol
import HeartwireSession

/// What the app and the server of a simulated world say to each other, told apart by its first byte.
enum SimulationPayload: Equatable {
    /// A guaranteed message with its id and whether it may be a repetition.
    case delivered(DeliveryID, isMarked: Bool, Message)
    /// A message without a guarantee.
    case sent(serial: Int)
    /// The server has read a guaranteed message.
    case acknowledged(DeliveryID)
    /// A message of the server's own accord.
    case pushed(serial: Int)

    private static let bar = UInt8(ascii: "|")

    /// The message of so many bytes at least.
    func message(fill: Int = 0) -> Message {
        switch self {
        case .delivered(let id, let isMarked, let message):
            let head = "d|\(id.number)|\(isMarked ? 1 : 0)|"
            return switch message {
            case .text(let text): .text(head + text)
            case .binary(let bytes): .binary(Array(head.utf8) + bytes)
            }
        case .sent(let serial): return .text("s|\(serial)|" + Self.filler(fill))
        case .acknowledged(let id): return .text("a|\(id.number)|")
        case .pushed(let serial): return .text("p|\(serial)|" + Self.filler(fill))
        }
    }

    /// Text of so many bytes that means nothing.
    static func filler(_ count: Int) -> String {
        String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: count), as: UTF8.self)
    }

    /// Reads a message; `nil` when nobody in a simulated world says such a thing.
    init?(_ message: Message) {
        let bytes: [UInt8] =
            switch message {
            case .text(let text): Array(text.utf8)
            case .binary(let bytes): bytes
            }
        let parts = bytes.split(separator: Self.bar, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let number = UInt64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        switch (parts[0].first, parts.count) {
        case (UInt8(ascii: "d"), 4):
            let rest = Array(parts[3])
            let inner: Message
            switch message {
            case .text: inner = .text(String(decoding: rest, as: UTF8.self))
            case .binary: inner = .binary(rest)
            }
            let isMarked = parts[2].first == UInt8(ascii: "1")
            self = .delivered(DeliveryID(number), isMarked: isMarked, inner)
        case (UInt8(ascii: "s"), 3): self = .sent(serial: Int(clamping: number))
        case (UInt8(ascii: "a"), 3): self = .acknowledged(DeliveryID(number))
        case (UInt8(ascii: "p"), 3): self = .pushed(serial: Int(clamping: number))
        default: return nil
        }
    }
}
