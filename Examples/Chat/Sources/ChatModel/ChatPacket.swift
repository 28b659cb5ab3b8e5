import Foundation
public import Heartwire

/// What goes over the wire: a text message with one JSON object.
public enum ChatPacket: Codable, Sendable, Hashable {
    /// This person is in the room. Whoever hears it repeats what they have said and this person has not heard, and,
    /// where it `asks`, says that they are there too.
    case present(ChatPerson, asks: Bool)
    /// A line that its author has said, perhaps not for the first time.
    case said(ChatLine)
    /// This person has the line.
    case heard(ChatLine.ID, by: ChatPerson)
    /// This person is going.
    case left(ChatPerson)

    /// Reads a message.
    ///
    /// - Throws: what `JSONDecoder` throws for one that is no packet.
    public init(_ message: Message) throws {
        let data =
            switch message {
            case .text(let text): Data(text.utf8)
            case .binary(let bytes): Data(bytes)
            }
        self = try JSONDecoder().decode(ChatPacket.self, from: data)
    }

    /// The packet as a message.
    public var message: Message {
        // Nothing in a packet can fail to be encoded: names, numbers and texts.
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return .text(String(decoding: data, as: UTF8.self))
    }
}

/// Somebody in the room: one run of the program, under a name that others may have, too.
public struct ChatPerson: Codable, Sendable, Hashable, Identifiable {
    /// Tells two of the same name apart.
    public let id: UInt64
    /// What they are called.
    public let name: String

    /// Somebody new.
    public init(named name: String) {
        self.init(id: UInt64.random(in: 0...UInt64(UInt32.max)), name: name)
    }

    init(id: UInt64, name: String) {
        self.id = id
        self.name = name
    }
}

/// One line of the conversation.
public struct ChatLine: Codable, Sendable, Hashable, Identifiable {
    /// Which line: the same each time that it is said.
    public struct ID: Codable, Sendable, Hashable {
        /// Who said it.
        public let author: ChatPerson
        /// Its number among theirs, which is that of its delivery.
        public let number: UInt64

        /// Names a line.
        public init(author: ChatPerson, number: UInt64) {
            self.author = author
            self.number = number
        }
    }

    /// Which line.
    public let id: ID
    /// What was said.
    public let text: String

    /// States a line.
    public init(author: ChatPerson, number: UInt64, text: String) {
        id = ID(author: author, number: number)
        self.text = text
    }
}
