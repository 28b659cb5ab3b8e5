public import HeartwireProtocol

/// How the messages of one batch become one message (promise S5). All of them are texts, or all are binary: a
/// batch never mixes the two.
public enum BatchEncoding: Sendable {
    /// One behind the other with nothing between: the receiver must see by itself where each ends.
    case concatenation
    /// Each followed by a line feed, as in JSON Lines. A message that holds a line feed itself is refused, for
    /// the receiver would take it for two.
    case newline
    /// One JSON array with each message as an element, in order. A message must be the text of one JSON value
    /// (RFC 8259), which is not looked into; binary messages are refused.
    case jsonArray
    /// What the closure makes of the messages, which are at least one. Called where the batch is driven, which
    /// is the client's domain, so it must return quickly.
    case custom(@Sendable ([Message]) -> Message)

    /// Whether a message can stand in a batch of this encoding.
    ///
    /// - Throws: ``BatchRefusal`` when the receiver could not take it out again.
    public func check(_ message: Message) throws(BatchRefusal) {
        switch (self, message) {
        case (.concatenation, _), (.custom, _), (.jsonArray, .text): return
        case (.newline, .text(let text)):
            if text.utf8.contains(0x0A) { throw .holdsNewline }
        case (.newline, .binary(let bytes)):
            if bytes.contains(0x0A) { throw .holdsNewline }
        case (.jsonArray, .binary): throw .notText
        }
    }

    /// How many bytes a batch of `count` messages takes that have `bytes` bytes together. For an encoding of the
    /// app's own these are the bytes of the messages.
    func size(count: Int, bytes: Int) -> Int {
        switch self {
        case .concatenation, .custom: bytes
        case .newline: bytes &+ count
        case .jsonArray: bytes &+ count &+ 1
        }
    }

    /// What goes out for these messages, which are at least one and all of one kind.
    func payload(of messages: [Message]) -> Message {
        switch self {
        case .concatenation: Self.join(messages, separator: "")
        case .newline: Self.join(messages, separator: "\n", close: "\n")
        case .jsonArray: Self.join(messages, open: "[", separator: ",", close: "]")
        case .custom(let encode): encode(messages)
        }
    }

    private static func join(
        _ messages: [Message], open: String = "", separator: String, close: String = ""
    ) -> Message {
        var text = open
        var bytes = Array(open.utf8)
        var isText = false
        for (place, message) in messages.enumerated() {
            switch message {
            case .text(let part):
                isText = true
                if place > 0 { text += separator }
                text += part
            case .binary(let part):
                if place > 0 { bytes += separator.utf8 }
                bytes += part
            }
        }
        return isText ? .text(text + close) : .binary(bytes + close.utf8)
    }
}

/// A message that cannot stand in a batch. Nothing has changed.
public enum BatchRefusal: Error, Sendable, Hashable {
    /// It holds a line feed, and line feeds part the messages of the batch.
    case holdsNewline
    /// It is binary, and the batch is a JSON array.
    case notText
}

extension BatchRefusal: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .holdsNewline: "the message holds a line feed, which parts the messages of the batch"
        case .notText: "a binary message cannot stand in a JSON array"
        }
    }
}
