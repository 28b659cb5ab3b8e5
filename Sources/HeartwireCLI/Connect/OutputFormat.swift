import HeartwireProtocol

/// How `connect` writes messages to the standard output (field case K12-04).
enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    /// A text message and LF; a binary message's bytes with nothing added.
    case plain
    /// The bytes of every message with nothing added.
    case raw
    /// One JSON object a line, from which every message can be had back exactly.
    case json

    /// The bytes that stand for `message`.
    func bytes(of message: Message) -> [UInt8] {
        switch (self, message) {
        case (.plain, .text(let text)): Array(text.utf8) + [0x0A]
        case (.raw, .text(let text)): Array(text.utf8)
        case (.plain, .binary(let bytes)), (.raw, .binary(let bytes)): bytes
        case (.json, .text(let text)):
            Self.line(["type": .string("text"), "data": .string(text)])
        case (.json, .binary(let bytes)):
            Self.line(["type": .string("binary"), "base64": .string(Base64.encode(bytes))])
        }
    }

    private static func line(_ members: KeyValuePairs<String, JSONText>) -> [UInt8] {
        Array(JSONText.object(members).compact.utf8) + [0x0A]
    }
}
