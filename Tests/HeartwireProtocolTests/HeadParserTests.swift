import Testing

@testable import HeartwireProtocol

@Suite struct HeadParserTests {
    private func parse(
        _ pieces: [[UInt8]], limits: Limits = Limits(), ignoresLeadingEmptyLines: Bool = false
    ) -> (consumed: Int, step: HeadParser.Step) {
        var parser = HeadParser(limits: limits, ignoresLeadingEmptyLines: ignoresLeadingEmptyLines)
        var consumed = 0
        for piece in pieces {
            let (next, step) = parser.receive(piece.span)
            consumed += next
            if step != .needsMore { return (consumed, step) }
        }
        return (consumed, .needsMore)
    }

    private func parse(_ text: String, limits: Limits = Limits()) -> HeadParser.Step {
        parse([Array(text.utf8)], limits: limits).step
    }

    @Test("RFC 9112 2: a head is its first line and its fields, and what follows is left alone")
    func plain() {
        let text = "HTTP/1.1 200 OK\r\nA: 1\r\nb:\t2 3 \r\nC:\r\nA: é\r\n\r\nbody"
        let bytes = Array(text.utf8)
        let expected = HeadParser.Step.complete(
            HeadParser.Head(
                startLine: "HTTP/1.1 200 OK", fields: ["A": "1", "b": "2 3", "C": "", "A": "é"]))
        for pieces in everySplit(bytes) {
            let (consumed, step) = parse(pieces)
            #expect(step == expected)
            #expect(consumed == bytes.count - 4)
        }
    }

    @Test("every true prefix of a head needs more, and takes all bytes")
    func prefixes() {
        let bytes = HandshakeFixtures.head(HandshakeFixtures.request)
        for count in 0..<bytes.count {
            let (consumed, step) = parse([Array(bytes[..<count])])
            #expect(step == .needsMore)
            #expect(consumed == count)
        }
    }

    @Test("reading can begin anywhere within the bytes")
    func start() {
        var parser = HeadParser(limits: Limits(), ignoresLeadingEmptyLines: false)
        let bytes = Array("xxGET\r\n\r\n".utf8)
        let (next, step) = parser.receive(bytes.span, from: 2)
        #expect(next == bytes.count)
        #expect(step == .complete(HeadParser.Head(startLine: "GET", fields: [:])))
    }

    static let faults: [(String, HeadFault)] = [
        ("S\nA: 1\r\n\r\n", .bareLineFeed), ("S\r\nA: 1\n\r\n", .bareLineFeed),
        ("S\r\nA: 1\r\n\n", .bareLineFeed), ("S\rA: 1\r\n\r\n", .bareCarriageReturn),
        ("S\r\nA: 1\r\r\n", .bareCarriageReturn), ("S\r\n\rX", .bareCarriageReturn),
        ("S\0\r\n", .controlCharacter), ("S\r\nA\0: 1\r\n", .controlCharacter),
        ("S\r\nA: \u{1B}\r\n", .controlCharacter), ("S\r\nA: \u{7F}\r\n", .controlCharacter),
        ("\r\nS\r\n", .missingStartLine), ("S\r\nA: 1\r\n B\r\n\r\n", .foldedLine),
        ("S\r\n\tA: 1\r\n", .foldedLine), ("S\r\nA\r\n", .missingColon),
        ("S\r\nA : 1\r\n", .whitespaceBeforeColon), ("S\r\nA\t: 1\r\n", .whitespaceBeforeColon),
        ("S\r\n: 1\r\n", .illegalFieldName), ("S\r\nA B: 1\r\n", .illegalFieldName),
        ("S\r\n(A): 1\r\n", .illegalFieldName), ("S\r\né: 1\r\n", .illegalFieldName),
    ]

    @Test("RFC 9112 2.2, 5: heads that could be read in two ways are refused", arguments: faults)
    func fault(text: String, fault: HeadFault) {
        for pieces in everySplit(Array(text.utf8)) {
            #expect(parse(pieces).step == .failed(fault))
        }
    }

    @Test("P4: a head of exactly the limit's bytes is taken, one byte more fails as it arrives")
    func byteLimit() {
        var limits = Limits()
        limits.headBytes = 20
        #expect(
            parse("S\r\nA: 0123456789\r\n\r\n", limits: limits)
                == .complete(HeadParser.Head(startLine: "S", fields: ["A": "0123456789"])))
        #expect(parse("S\r\nA: 0123456789x\r\n\r\n", limits: limits) == .failed(.tooManyBytes))
        #expect(parse(String(repeating: "x", count: 20), limits: limits) == .needsMore)
        #expect(parse(String(repeating: "x", count: 21), limits: limits) == .failed(.tooManyBytes))
        limits.headBytes = -1
        #expect(parse("S", limits: limits) == .failed(.tooManyBytes))
    }

    @Test("P4: as many header lines as the limit are taken, one more fails")
    func lineLimit() {
        var limits = Limits()
        limits.headLines = 2
        #expect(
            parse("S\r\nA: 1\r\nB: 2\r\n\r\n", limits: limits)
                == .complete(HeadParser.Head(startLine: "S", fields: ["A": "1", "B": "2"])))
        #expect(parse("S\r\nA: 1\r\nB: 2\r\nC: 3\r\n", limits: limits) == .failed(.tooManyLines))
    }

    @Test("RFC 9112 2.2: empty lines before a request are passed over, within the limits")
    func leadingEmptyLines() {
        let expected = HeadParser.Step.complete(HeadParser.Head(startLine: "S", fields: [:]))
        for pieces in everySplit(Array("\r\n\r\nS\r\n\r\n".utf8)) {
            #expect(parse(pieces, ignoresLeadingEmptyLines: true).step == expected)
        }
        let flood = Array(String(repeating: "\r\n", count: 10_000).utf8)
        #expect(parse([flood], ignoresLeadingEmptyLines: true).step == .failed(.tooManyBytes))
    }

    @Test("RFC 9110 15.2: the next head is read on what the first has left of the limits")
    func nextHead() {
        var limits = Limits()
        limits.headLines = 2
        var parser = HeadParser(limits: limits, ignoresLeadingEmptyLines: false)
        let bytes = Array("S\r\nA: 1\r\n\r\nT\r\nB: 2\r\n\r\nU\r\nC: 3\r\n\r\n".utf8)
        let (first, _) = parser.receive(bytes.span)
        parser.startNextHead()
        let (second, step) = parser.receive(bytes.span, from: first)
        #expect(step == .complete(HeadParser.Head(startLine: "T", fields: ["B": "2"])))
        parser.startNextHead()
        let (_, last) = parser.receive(bytes.span, from: second)
        #expect(last == .failed(.tooManyLines))
    }

    @Test("P5: text that is not UTF-8 is repaired, and nothing traps")
    func notUTF8() {
        let bytes: [UInt8] = Array("S\r\nA: ".utf8) + [0xFF, 0xC3] + Array("\r\n\r\n".utf8)
        #expect(
            parse([bytes]).step
                == .complete(HeadParser.Head(startLine: "S", fields: ["A": "\u{FFFD}\u{FFFD}"])))
    }

    @Test(
        "each fault says what was expected and what was seen; two are limits",
        arguments: HeadFault.allCases)
    func words(fault: HeadFault) {
        #expect(!fault.expected.isEmpty)
        #expect(!fault.seen.isEmpty)
        #expect(fault.isLimit == (fault == .tooManyBytes || fault == .tooManyLines))
    }
}
