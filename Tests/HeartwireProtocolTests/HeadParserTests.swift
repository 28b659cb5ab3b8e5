import Testing

@testable import HeartwireProtocol

@Suite struct HeadParserTests {
    private func parse(
        _ pieces: [[UInt8]], _ kind: HeadParser.Kind = .response, limits: Limits = Limits()
    ) -> (consumed: Int, step: HeadParser.Step) {
        var parser = HeadParser(kind, limits: limits)
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

    /// A status line without a phrase.
    private static let line = "HTTP/1.1 200"

    private func head(_ fields: HeaderFields = [:], line: String = line) -> HeadParser.Step {
        .complete(HeadParser.Head(startLine: line, fields: fields))
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
            let (consumed, step) = parse([Array(bytes[..<count])], .request)
            #expect(step == .needsMore)
            #expect(consumed == count)
        }
    }

    @Test("reading can begin anywhere within the bytes")
    func start() {
        var parser = HeadParser(.response, limits: Limits())
        let bytes = Array("xx\(Self.line)\r\n\r\n".utf8)
        let (next, step) = parser.receive(bytes.span, from: 2)
        #expect(next == bytes.count)
        #expect(step == head())
    }

    static let faults: [(String, HeadFault)] = [
        ("\nA: 1\r\n\r\n", .bareLineFeed), ("\r\nA: 1\n\r\n", .bareLineFeed),
        ("\r\nA: 1\r\n\n", .bareLineFeed), ("\rA: 1\r\n\r\n", .bareCarriageReturn),
        ("\r\nA: 1\r\r\n", .bareCarriageReturn), ("\r\n\rX", .bareCarriageReturn),
        (" \0\r\n", .controlCharacter), ("\r\nA\0: 1\r\n", .controlCharacter),
        ("\r\nA: \u{1B}\r\n", .controlCharacter), ("\r\nA: \u{7F}\r\n", .controlCharacter),
        ("\r\nA: 1\r\n B\r\n\r\n", .foldedLine), ("X\r\n", .noStatusLine),
        ("\0", .noStatusLine),
        ("\r\n\tA: 1\r\n", .foldedLine), ("\r\nA\r\n", .missingColon),
        ("\r\nA : 1\r\n", .whitespaceBeforeColon), ("\r\nA\t: 1\r\n", .whitespaceBeforeColon),
        ("\r\n: 1\r\n", .illegalFieldName), ("\r\nA B: 1\r\n", .illegalFieldName),
        ("\r\n(A): 1\r\n", .illegalFieldName), ("\r\né: 1\r\n", .illegalFieldName),
    ]

    @Test("RFC 9112 2.2, 5: heads that could be read in two ways are refused", arguments: faults)
    func fault(behindStatus text: String, fault: HeadFault) {
        for pieces in everySplit(Array((Self.line + text).utf8)) {
            #expect(parse(pieces).step == .failed(fault))
        }
    }

    @Test(
        "RFC 9112 4: what is no answer is known at its first wrong byte; the bytes before it are kept"
    )
    func noAnswer() {
        for (text, count) in [
            ("SSH-2.0-OpenSSH_9\r\n", 1), ("220 mail\r\n", 1), ("\r\nHTTP/1.1 200\r\n\r\n", 1),
            ("\n", 1), ("HTTP/1.1 20x", 12), ("HTTP/2 200\r\n\r\n", 6), ("\u{15}\u{3}\u{3}", 1),
        ] {
            let bytes = Array(text.utf8)
            for pieces in everySplit(bytes) {
                let (consumed, step) = parse(pieces)
                #expect(step == .failed(.noStatusLine))
                #expect(consumed == count)
            }
            var parser = HeadParser(.response, limits: Limits())
            _ = parser.receive(bytes.span)
            #expect(parser.line == Array(bytes.prefix(count - 1)))
        }
    }

    @Test("RFC 9112 3: what begins no request is known at its first wrong byte, or with its line")
    func noRequest() {
        for (text, count, fault) in [
            ("\u{16}\u{3}\u{1}", 1, .noMethod), ("SSH-2.0-x\r\nmore", 10, .noMethod),
            ("J\0\0", 2, .noMethod), (" GET / HTTP/1.1\r\n", 1, .noMethod),
            ("\r\n\u{16}", 3, .noMethod), ("EHLO a.test\r\nmore", 13, .noRequestLine),
            ("GET /\r\nmore", 7, .noRequestLine), ("\nGET", 1, .bareLineFeed),
            ("\rGET", 2, .bareCarriageReturn), ("GET /\0", 6, .controlCharacter),
        ] as [(String, Int, HeadFault)] {
            for pieces in everySplit(Array(text.utf8)) {
                let (consumed, step) = parse(pieces, .request)
                #expect(step == .failed(fault), "\(text.debugDescription)")
                #expect(consumed == count, "\(text.debugDescription)")
            }
        }
    }

    @Test("P4: a head of exactly the limit's bytes is taken, one byte more fails as it arrives")
    func byteLimit() {
        var limits = Limits()
        limits.headBytes = 31
        #expect(
            parse("\(Self.line)\r\nA: 0123456789\r\n\r\n", limits: limits)
                == head(["A": "0123456789"]))
        #expect(
            parse("\(Self.line)\r\nA: 0123456789x\r\n\r\n", limits: limits)
                == .failed(.tooManyBytes))
        let phrase = String(repeating: "x", count: 18)
        #expect(parse("\(Self.line) \(phrase)", limits: limits) == .needsMore)
        #expect(parse("\(Self.line) \(phrase)x", limits: limits) == .failed(.tooManyBytes))
        limits.headBytes = -1
        #expect(parse("H", limits: limits) == .failed(.tooManyBytes))
    }

    @Test("P4: as many header lines as the limit are taken, one more fails")
    func lineLimit() {
        var limits = Limits()
        limits.headLines = 2
        #expect(
            parse("\(Self.line)\r\nA: 1\r\nB: 2\r\n\r\n", limits: limits)
                == head(["A": "1", "B": "2"]))
        #expect(
            parse("\(Self.line)\r\nA: 1\r\nB: 2\r\nC: 3\r\n", limits: limits)
                == .failed(.tooManyLines))
    }

    @Test("RFC 9112 2.2: empty lines before a request are passed over, within the limits")
    func leadingEmptyLines() {
        let line = "GET / HTTP/1.1"
        for pieces in everySplit(Array("\r\n\r\n\(line)\r\n\r\n".utf8)) {
            #expect(parse(pieces, .request).step == head(line: line))
        }
        let flood = Array(String(repeating: "\r\n", count: 10_000).utf8)
        #expect(parse([flood], .request).step == .failed(.tooManyBytes))
    }

    @Test("RFC 9110 15.2: the next head is read on what the first has left of the limits")
    func nextHead() {
        var limits = Limits()
        limits.headLines = 2
        var parser = HeadParser(.response, limits: limits)
        let heads = ["HTTP/1.1 100\r\nA: 1", "HTTP/1.1 101\r\nB: 2", "HTTP/1.1 102\r\nC: 3"]
        let bytes = Array(heads.map { $0 + "\r\n\r\n" }.joined().utf8)
        let (first, _) = parser.receive(bytes.span)
        parser.startNextHead()
        let (second, step) = parser.receive(bytes.span, from: first)
        #expect(step == head(["B": "2"], line: "HTTP/1.1 101"))
        parser.startNextHead()
        let (_, last) = parser.receive(bytes.span, from: second)
        #expect(last == .failed(.tooManyLines))
    }

    @Test("P5: text that is not UTF-8 is repaired, and nothing traps")
    func notUTF8() {
        let end = Array("\r\n\r\n".utf8)
        let bytes = Array("\(Self.line)\r\nA: ".utf8) + [0xFF, 0xC3] + end
        #expect(parse([bytes]).step == head(["A": "\u{FFFD}\u{FFFD}"]))
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
