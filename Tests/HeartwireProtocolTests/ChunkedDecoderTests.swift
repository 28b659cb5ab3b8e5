import Testing

@testable import HeartwireProtocol

@Suite struct ChunkedDecoderTests {
    /// The content, and the step that ended it, if one did.
    private func decode(_ text: String) -> (content: String, end: ChunkedDecoder.Step?) {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        for byte in text.utf8 {
            let step = decoder.take(byte)
            switch step {
            case .framing: break
            case .content: content.append(byte)
            case .finished, .malformed: return (String(decoding: content, as: UTF8.self), step)
            }
        }
        return (String(decoding: content, as: UTF8.self), nil)
    }

    static let lawfulTexts = [
        ("0\r\n", ""), ("5\r\nhello\r\n0\r\n", "hello"), ("1\r\na\r\n2\r\nbc\r\n00\r\n", "abc"),
        ("A\r\n0123456789\r\n0\r\n", "0123456789"), ("a\r\n0123456789\r\n0\r\n", "0123456789"),
        ("3;x=y;z=\"q\"\r\nabc\r\n0;last\r\n", "abc"), ("3 \r\nabc\r\n0\t\r\n", "abc"),
        ("2\r\n\r\n\r\n0\r\n", "\r\n"), ("000000000000003\r\nabc\r\n0\r\n", "abc"),
    ]

    @Test("RFC 9112 7.1: chunks are put together, extensions passed over", arguments: lawfulTexts)
    func lawful(text: String, content: String) {
        #expect(decode(text) == (content, .finished))
    }

    static let brokenTexts = [
        ("\r\n", ""), (";x\r\n", ""), ("g\r\n", ""), ("-1\r\n", ""), ("3\nabc", ""), ("3\rabc", ""),
        ("3x\r\n", ""), ("0x3\r\n", ""), ("3\r\nabcd\r\n", "abc"), ("3\r\nabc\n0\r\n", "abc"),
        ("3\r\nabc\rX", "abc"), ("3\r\nabc\r\n\r\n", "abc"), ("3;\nabc", ""), ("3;\0\r\n", ""),
        ("1000000000000000\r\n", ""), ("FFFFFFFFFFFFFFFFFF\r\n", ""),
    ]

    @Test(
        "RFC 9112 7.1: broken framing ends the content and keeps what came before",
        arguments: brokenTexts)
    func broken(text: String, content: String) {
        #expect(decode(text) == (content, .malformed))
    }

    @Test("P4: extensions of 256 bytes are passed over, longer ones are not")
    func extensions() {
        let longest = String(repeating: "x", count: 255)
        #expect(decode("1;\(longest)\r\na\r\n0\r\n") == ("a", .finished))
        #expect(decode("1;\(longest)xx\r\na\r\n0\r\n") == ("", .malformed))
    }

    @Test("P5: the largest size that is taken does not overflow")
    func largest() {
        #expect(decode("FFFFFFFFFFFFFFF\r\nabc") == ("abc", nil))
    }
}
