import Testing

@testable import HeartwireProtocol

@Suite struct GreetingTests {
    private func words(_ text: String) -> String { Greeting.words(Array(text.utf8)) }

    @Test("RFC 9112 4: what greets is shown, escaped, up to the end of its first line")
    func greetings() {
        #expect(words("SSH-2.0-OpenSSH_9.6\r\nmore") == #""SSH-2.0-OpenSSH_9.6\r\n""#)
        #expect(words("220 mail.test ESMTP\r\n") == #""220 mail.test ESMTP\r\n""#)
        #expect(words("220\nX: secret\n") == #""220\n""#)
        #expect(words("J\0\0\0\n8.0.36\0") == #""J\x00\x00\x00\n8.0.36\x00""#)
        #expect(words("S") == #""S""#)
        #expect(words("\u{1B}[31m\"\\") == #""\x1b[31m\"\\""#)
        #expect(Greeting.words([]) == #""""#)
    }

    @Test("RFC 9112 4: of header fields behind a broken status line nothing is shown")
    func fields() {
        for line in ["HTTP/1.1 2", "\r\nHTTP/1.1 200 OK", "\nHTTP/1.1 200 OK", "HTTP/2 200"] {
            for end in ["\r\n", "\n"] where !(line.hasPrefix("\n") && end == "\r\n") {
                #expect(!words("\(line)\(end)X: secret").contains("X"), "\(line)")
            }
        }
    }

    @Test("RFC 9112 4: no more than 32 bytes are shown")
    func bound() {
        let whole = String(repeating: "x", count: Greeting.shownBytes)
        #expect(words(whole) == "\"\(whole)\"")
        #expect(words(whole + "y") == "\"\(whole)\"…")
    }

    @Test("P3: a record of TLS is named, an alert and a hello, from its first byte on")
    func tls() {
        for bytes in [[0x15], [0x15, 3, 3, 0, 2, 2, 40], [0x16], [0x16, 3, 1]] as [[UInt8]] {
            #expect(Greeting.words(bytes) == "TLS, as for a wss URL")
        }
        #expect(Greeting.words([0x14]) == #""\x14""#)
        #expect(Greeting.words([0x17]) == #""\x17""#)
    }

    @Test("J1: a server that sends our own request back shows nothing of it")
    func echo() {
        #expect(words("GET /?token=secret HTTP/1.1\r\n") == "a request")
        #expect(words("GET") == #""GET""#)
    }
}
