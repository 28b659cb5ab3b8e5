import Testing

@testable import HeartwireProtocol

@Suite struct RefusalBodyTests {
    private func read(
        _ text: String, _ headers: HeaderFields, status: Int = 403, limit: Int = 8
    ) -> (text: String, isFinished: Bool, consumed: Int) {
        var body = RefusalBody(status: status, headers: headers, limit: limit)
        let bytes = Array(text.utf8)
        var consumed = 0
        body.receive(bytes.span, from: &consumed)
        return (String(decoding: body.bytes, as: UTF8.self), body.isFinished, consumed)
    }

    @Test("RFC 9112 6.3: a length ends the body, and what follows is left alone")
    func length() {
        #expect(read("abcdef", ["Content-Length": "4"]) == ("abcd", true, 4))
        #expect(read("ab", ["Content-Length": "4"]) == ("ab", false, 2))
        #expect(read("ab", ["Content-Length": "0"]) == ("", true, 0))
    }

    @Test("RFC 9112 7.1: chunks end with the empty one")
    func chunked() {
        #expect(
            read("2\r\nab\r\n0\r\n\r\n", ["Transfer-Encoding": "chunked"]) == ("ab", true, 10))
        #expect(read("2\r\nab\r\n", ["transfer-encoding": "gzip, Chunked"]) == ("ab", false, 7))
        #expect(read("2\r\nabc", ["Transfer-Encoding": "chunked"]) == ("ab", true, 6))
    }

    @Test("RFC 9112 6.3: chunked outweighs a length, and another coding lasts to the stream's end")
    func precedence() {
        #expect(
            read(
                "2\r\nab\r\n0\r\n", ["Content-Length": "1", "Transfer-Encoding": "chunked"]
            ).text == "ab")
        #expect(
            read("abc", ["Content-Length": "1", "Transfer-Encoding": "gzip"]) == ("abc", false, 3))
        #expect(
            read("abc", ["Transfer-Encoding": "chunked", "Transfer-Encoding": "gzip"])
                == ("abc", false, 3))
    }

    @Test("RFC 9112 6.3: with nothing that marks its end, a body lasts to the stream's end")
    func untilEOF() {
        #expect(read("abc", [:]) == ("abc", false, 3))
    }

    @Test(
        "K05-08: a length that makes no sense counts for nothing",
        arguments: ["", "x", "-1", "+1", "1.0", "0x1", "1 1", "99999999999999999999999999", "1, 2"])
    func senselessLength(value: String) {
        #expect(read("abc", ["Content-Length": value]) == ("abc", false, 3))
    }

    @Test("RFC 9110 8.6: the same length twice is that length, another one makes no sense")
    func repeatedLength() {
        #expect(read("abc", ["Content-Length": "2", "content-length": "2"]).text == "ab")
        #expect(read("abc", ["Content-Length": "2, 2"]).text == "ab")
        #expect(read("abc", ["Content-Length": "2", "content-length": "3"]).text == "abc")
    }

    @Test("K05-08: no more than the limit is kept, in each way to mark the end")
    func limit() {
        let text = "0123456789"
        #expect(read(text, [:]) == ("01234567", true, 8))
        #expect(read(text, ["Content-Length": "10000000"]) == ("01234567", true, 8))
        #expect(
            read("A\r\n\(text)\r\n0\r\n", ["Transfer-Encoding": "chunked"])
                == ("01234567", true, 11))
        #expect(read(text, [:], limit: 0) == ("", true, 0))
        #expect(read(text, [:], limit: -1) == ("", true, 0))
    }

    @Test("RFC 9110 6.4.1: 204 and 304 have no body whatever the headers say")
    func bodyless() {
        #expect(read("abc", ["Content-Length": "3"], status: 204) == ("", true, 0))
        #expect(read("abc", [:], status: 304) == ("", true, 0))
    }
}
