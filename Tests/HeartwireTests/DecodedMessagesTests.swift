import Foundation
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("Decoded messages")
struct DecodedMessagesTests {
    private struct Quote: Codable, Equatable, Sendable {
        let name: String
        let price: Int
    }

    private enum Fault: Error { case notANumber }

    private let world = World()

    @Test("S1: Foundation's decoder fits as it is, for texts and for binary messages")
    func foundation() throws {
        let client = try world.openClient()
        let quotes = Box<[Quote]>([])
        world.start {
            do {
                let decoded = client.messages.decoded(as: Quote.self, with: JSONDecoder().decode)
                for try await quote in decoded { quotes.value.append(quote) }
            } catch {}
        }
        let second = Quote(name: "é", price: 2)
        let bytes = [UInt8](try JSONEncoder().encode(second))
        try world.atEndpoint {
            try $0.send(text: #"{"name":"a","price":1}"#)
            try $0.send(binary: bytes)
        }
        #expect(quotes.value == [Quote(name: "a", price: 1), second])
    }

    @Test("S1: any function is a decoder; where it throws, so does the sequence, with the message")
    func throwsInPlace() throws {
        let client = try world.openClient()
        let world = world
        let outcome = try world.run {
            var iterator = client.messages.decoded(by: Self.number).makeAsyncIterator()
            for text in ["1", "x", "3"] { try world.connectionInDomain?.send(text: text) }
            try await world.sleep(.milliseconds(1))
            var outcome: [String] = []
            for _ in 0..<3 {
                do throws(UndecodableMessage) {
                    outcome.append("\(try await iterator.next() ?? -1)")
                } catch {
                    #expect(error.message == .text("x"))
                    #expect(error.expected == "Int")
                    #expect(error.underlying is Fault)
                    outcome.append("error")
                }
            }
            await client.disconnect()
            outcome.append(try await iterator.next(isolation: #isolation) == nil ? "end" : "more")
            return outcome
        }
        #expect(outcome == ["1", "error", "3", "end"], "an iterator goes on behind the error")
    }

    @Test("S1: where it is told to, the sequence passes over what it cannot decode, and counts it")
    func skips() throws {
        let client = try world.openClient()
        let decoded = client.messages.decoded(undecodable: .skip, by: Self.number)
        let numbers = Box<[Int]>([])
        world.start {
            do { for try await number in decoded { numbers.value.append(number) } } catch {}
        }
        try world.atEndpoint {
            for text in ["1", "x", "y", "4"] { try $0.send(text: text) }
            try $0.send(binary: [1])
        }
        #expect(numbers.value == [1, 4])
        #expect(decoded.skipped == 3)
        #expect(decoded.dropped == 0)
    }

    @Test("S1: what a decoder of bytes gets is the payload: UTF-8 of a text, bytes as they are")
    func payloads() throws {
        let client = try world.openClient()
        let seen = Box<[[UInt8]]>([])
        world.start {
            let decoded = client.messages.decoded(as: [UInt8].self) { (_, bytes: [UInt8]) in bytes }
            do { for try await bytes in decoded { seen.value.append(bytes) } } catch {}
        }
        try world.atEndpoint {
            try $0.send(text: "é")
            try $0.send(binary: [0, 255])
        }
        #expect(seen.value == [[0xC3, 0xA9], [0, 255]])
    }

    @Test("S1, J1: an error's words and its dump tell kind, size and types, and no contents")
    func words() {
        let text = UndecodableMessage(
            expected: "Quote", message: .text("secret"), underlying: Fault.notANumber)
        #expect("\(text)" == "a text of 6 bytes is no Quote: Fault")
        let binary = UndecodableMessage(
            expected: "Quote", message: .binary([1]), underlying: Fault.notANumber)
        #expect("\(binary)" == "a binary message of 1 bytes is no Quote: Fault")
        var dumped = ""
        dump(text, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(DecodedMessages<Int>.Policy.allCases == [.fail, .skip])
    }

    private static let number: @Sendable (Message) throws -> Int = { message in
        guard case .text(let text) = message, let number = Int(text) else {
            throw Fault.notANumber
        }
        return number
    }
}
