import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite struct BatchEncodingTests {
    private let texts: [Message] = [.text("1"), .text("{}"), .text("é")]
    private let binaries: [Message] = [.binary([1]), .binary([]), .binary([2, 3])]
    private let count = BatchEncoding.custom { .text("\($0.count) messages") }

    private func encodings() -> [BatchEncoding] { [.concatenation, .newline, .jsonArray, count] }

    @Test("S5: texts are joined with nothing between, by lines, as a JSON array, or by a closure")
    func joinsTexts() {
        let payloads = encodings().map { $0.payload(of: texts) }
        #expect(
            payloads == [
                .text("1{}é"), .text("1\n{}\né\n"), .text("[1,{},é]"), .text("3 messages"),
            ])
    }

    @Test("S5: binary messages stay binary, with nothing between or by lines")
    func joinsBinaries() {
        #expect(BatchEncoding.concatenation.payload(of: binaries) == .binary([1, 2, 3]))
        #expect(
            BatchEncoding.newline.payload(of: binaries)
                == .binary([1, 0x0A, 0x0A, 2, 3, 0x0A]))
        #expect(count.payload(of: binaries) == .text("3 messages"))
    }

    @Test("S5: one message alone is encoded too, so that a receiver need not tell the cases apart")
    func alone() {
        let payloads = encodings().map { $0.payload(of: [.text("7")]) }
        #expect(payloads == [.text("7"), .text("7\n"), .text("[7]"), .text("1 messages")])
    }

    @Test("S5: the size that is foretold is the size that it has")
    func sizes() {
        for encoding in [BatchEncoding.concatenation, .newline, .jsonArray] {
            for length in 1...3 {
                let some = Array(texts.prefix(length))
                let bytes = some.reduce(0) { $0 + $1.byteCount }
                #expect(
                    encoding.size(count: length, bytes: bytes)
                        == encoding.payload(of: some).byteCount)
            }
        }
        #expect(count.size(count: 3, bytes: 5) == 5)
    }

    @Test("S5: what could not be taken out again is refused before it is taken in")
    func refusals() throws {
        let breaks: [Message] = [.text("a\nb"), .text("\n"), .binary([1, 0x0A])]
        for message in breaks {
            #expect(throws: BatchRefusal.holdsNewline) { try BatchEncoding.newline.check(message) }
            try BatchEncoding.concatenation.check(message)
            try count.check(message)
        }
        try BatchEncoding.newline.check(.text("a\rb"))
        try BatchEncoding.newline.check(.binary([0x0B]))
        #expect(throws: BatchRefusal.notText) { try BatchEncoding.jsonArray.check(.binary([1])) }
        // A line feed is white space in JSON.
        try BatchEncoding.jsonArray.check(.text("{\n}"))
    }

    @Test("S5: each refusal says why")
    func words() {
        #expect(
            "\(BatchRefusal.holdsNewline)"
                == "the message holds a line feed, which parts the messages of the batch")
        #expect("\(BatchRefusal.notText)" == "a binary message cannot stand in a JSON array")
    }
}
