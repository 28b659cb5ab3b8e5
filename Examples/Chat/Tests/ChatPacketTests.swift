import Heartwire
import Testing

@testable import ChatModel

@Suite("What goes over the wire, and what is shown of it")
struct ChatPacketTests {
    private let bob = ChatPerson(id: 2, name: "bob \"the\" builder")

    @Test("every packet comes back as it went out, by text or in bytes")
    func roundTrip() throws {
        let line = ChatLine(author: bob, number: .max, text: "tab\tand 🙂 and \"quotes\"")
        for packet in [
            ChatPacket.present(bob, asks: true), .said(line), .heard(line.id, by: bob), .left(bob),
        ] {
            let message = packet.message
            #expect(try ChatPacket(message) == packet)
            guard case .text(let text) = message else {
                Issue.record("it is no text")
                continue
            }
            #expect(try ChatPacket(.binary(Array(text.utf8))) == packet)
        }
    }

    @Test(
        "what is no packet is an error",
        arguments: [
            "", "{}", "[]", "null", #"{"said":{}}"#, #"{"left":{"_0":{"id":-1,"name":""}}}"#,
        ])
    func noPacket(_ text: String) {
        #expect(throws: DecodingError.self) { try ChatPacket(.text(text)) }
    }

    @Test("two people of one name are two people")
    func people() {
        #expect(ChatPerson(named: "x").name == "x")
        #expect(Set((0..<10).map { _ in ChatPerson(named: "x") }).count > 1)
    }

    @Test("names and texts of others move no cursor")
    func printable() {
        let evil = ChatLine(
            author: ChatPerson(id: 3, name: "e\u{1B}[2J"), number: 1, text: "a\nb\u{202E}c")
        #expect(ChatNews.said(evil).text == "e\u{FFFD}[2J: a\u{FFFD}b\u{FFFD}c")
        #expect(ChatNews.joined(evil.id.author).text == "e\u{FFFD}[2J is here")
        #expect(ChatNews.left(bob).text == "bob \"the\" builder has left")
    }

    @Test("every state and every mark has its words")
    func words() {
        let lost = CloseCause.connectionLost(ConnectionFailure(.reset))
        let states: [(SessionState, String)] = [
            (.idle, "not connected"), (.connecting(Generation(1), attempt: 0), "connecting"),
            (.open(Generation(1)), "connected"), (.closing(Generation(1)), "closing"),
            (
                .waiting(attempt: 2, delay: .milliseconds(2_340), cause: lost),
                "\(lost); again in 2.3 s"
            ),
            (.suspended(cause: nil), "away"),
            (.stopped(.disconnected(nil)), "ended: disconnected by the app"),
        ]
        for (state, words) in states { #expect(ChatNews.state(state).text == words) }
        let marks: [(Receipt.State, ChatMark, String)] = [
            (.stored, .waiting, "…"), (.written(Generation(1)), .sent, "✓"),
            (.confirmed, .heard, "✓✓"), (.expired, .lost, "✗"),
            (.rejected(.sessionEnded), .lost, "✗"),
        ]
        for (state, mark, symbol) in marks {
            #expect(ChatMark(state) == mark)
            #expect(mark.symbol == symbol)
        }
        let line = ChatLine(author: bob, number: 1, text: "hello")
        #expect(ChatNews.marked(line, .heard).text == "✓✓ hello")
    }
}
