import Testing

@testable import HeartwireProtocol

@Suite struct ResponseReaderTests {
    private typealias Fixtures = HandshakeFixtures

    private func refusal(_ result: ReaderResult<ResponseReader.Outcome>) -> Refusal? {
        guard case .refused(let refusal) = result.outcome else { return nil }
        return refusal
    }

    private func violation(_ result: ReaderResult<ResponseReader.Outcome>) -> ProtocolViolation? {
        guard case .failed(let violation) = result.outcome else { return nil }
        return violation
    }

    @Test(
        "K05-01: the bytes behind the blank line are frames and stay unread, however they are cut")
    func gluedFrame() {
        let head = Fixtures.head(Fixtures.switching)
        let bytes = head + [0x81, 0x05] + Array("Hello".utf8)
        for pieces in everySplit(bytes) {
            let result = ResponseReader.read(pieces)
            #expect(result.consumed == head.count)
            guard case .opened(let opened) = result.outcome else {
                Issue.record("not opened")
                return
            }
            #expect(opened.headers.count == 3)
        }
    }

    @Test("K05-01: after the outcome nothing is consumed and no second outcome is given")
    func afterOutcome() {
        var reader = ResponseReader(key: Fixtures.key)
        let bytes = Fixtures.head(Fixtures.switching)
        #expect(reader.receive(bytes.span).outcome != nil)
        let (consumed, outcome) = reader.receive(bytes.span)
        #expect(consumed == 0)
        #expect(outcome == nil)
        #expect(reader.pendingRefusal == nil)
    }

    @Test(
        "K05-07: a 101 opens with any phrase and with none",
        arguments: [
            "HTTP/1.1 101", "HTTP/1.1 101 ", "HTTP/1.1 101 Web Socket Protocol Handshake",
            "HTTP/1.1 101 é",
        ])
    func phrases(line: String) {
        let lines = [line] + Fixtures.switching.dropFirst()
        for pieces in everySplit(Fixtures.head(lines)) {
            guard case .opened = ResponseReader.read(pieces).outcome else {
                Issue.record("not opened")
                return
            }
        }
    }

    @Test(
        "K05-07: every other status is a refusal, even with the headers of an upgrade",
        arguments: [200, 204, 301, 302, 304, 400, 401, 403, 426, 429, 502, 503, 599, 999])
    func statuses(status: Int) {
        let lines = ["HTTP/1.1 \(status) Words"] + Fixtures.switching.dropFirst()
        let result = ResponseReader.read(
            [Fixtures.head(lines, body: "<html>")], endsStream: true)
        let refusal = refusal(result)
        #expect(refusal?.status == status)
        #expect(refusal?.reasonPhrase == "Words")
        #expect(refusal?.headers["upgrade"] == "websocket")
    }

    @Test("K05-07: a redirect is not followed; its Location is there to read")
    func redirect() {
        let bytes = Fixtures.head(["HTTP/1.1 302 Found", "Location: /x", "Content-Length: 0"])
        #expect(refusal(ResponseReader.read([bytes]))?.headers["Location"] == "/x")
    }

    @Test("K05-08: a chunked body split anywhere is decoded and ends the attempt")
    func chunkedBody() {
        let bytes = Fixtures.head(
            [
                "HTTP/1.1 403 Forbidden", "Content-Type: application/json",
                "Transfer-Encoding: chunked",
            ], body: "5\r\n{\"e\":\r\n3\r\n42}\r\n0\r\n\r\n")
        for pieces in everySplit(bytes) {
            let refusal = refusal(ResponseReader.read(pieces))
            #expect(refusal?.status == 403)
            #expect(refusal?.headers["content-type"] == "application/json")
            #expect(refusal?.body == Array("{\"e\":42}".utf8))
        }
    }

    @Test("K05-08: of a body of ten megabytes the first 4 KiB are kept, and they end the attempt")
    func longBody() {
        var reader = ResponseReader(key: Fixtures.key)
        let head = Fixtures.head(["HTTP/1.1 403 No", "Content-Length: 10485760"])
        #expect(reader.receive(head.span).outcome == nil)
        let piece = [UInt8](repeating: 0x20, count: 3_000)
        #expect(reader.receive(piece.span).outcome == nil)
        #expect(reader.pendingRefusal?.body.count == 3_000)
        let (consumed, outcome) = reader.receive(piece.span)
        #expect(consumed == 1_096)
        #expect(refusal(ReaderResult(outcome: outcome, consumed: 0))?.body.count == 4_096)
    }

    @Test("K05-08: a body without a length ends with the stream")
    func bodyUntilEOF() {
        let bytes = Fixtures.head(["HTTP/1.1 502 Bad Gateway"], body: "<html>")
        for pieces in everySplit(bytes) {
            #expect(ResponseReader.read(pieces).outcome == nil)
            let refusal = refusal(ResponseReader.read(pieces, endsStream: true))
            #expect(refusal?.body == Array("<html>".utf8))
        }
    }

    @Test("K05-08: a refusal whose body never ends can be read when the time is up")
    func pendingRefusal() {
        var reader = ResponseReader(key: Fixtures.key)
        #expect(reader.pendingRefusal == nil)
        let bytes = Fixtures.head(["HTTP/1.1 403 No", "Content-Length: 9"], body: "half")
        #expect(reader.receive(bytes.span).outcome == nil)
        #expect(reader.pendingRefusal?.body == Array("half".utf8))
        let pending = reader.pendingRefusal
        #expect(refusal(ReaderResult(outcome: reader.receiveEOF(), consumed: 0)) == pending)
        #expect(reader.pendingRefusal == nil)
    }

    @Test("K05-08: broken chunks end the attempt with what came before them")
    func brokenChunks() {
        let bytes = Fixtures.head(
            ["HTTP/1.1 403 No", "Transfer-Encoding: chunked"], body: "2\r\nab\r\nzz\r\n")
        for pieces in everySplit(bytes) {
            #expect(refusal(ResponseReader.read(pieces))?.body == Array("ab".utf8))
        }
    }

    @Test("K05-11: a stream that ends before the answer does fails as closed during the handshake")
    func eof() {
        let bytes = Fixtures.head(Fixtures.switching)
        for count in 0..<bytes.count {
            let violation = violation(
                ResponseReader.read([Array(bytes[..<count])], endsStream: true))
            #expect(violation?.closeCode == .abnormalClosure)
            #expect(violation?.description.contains("closed during the handshake") == true)
        }
    }

    @Test("K05-11: a stream that ends within a refusal's body is still that refusal")
    func eofInBody() {
        let bytes = Fixtures.head(["HTTP/1.1 403 No", "Content-Length: 9"], body: "half")
        let refusal = refusal(ResponseReader.read([bytes], endsStream: true))
        #expect(refusal?.status == 403)
        #expect(refusal?.body == Array("half".utf8))
    }

    @Test("RFC 9110 15.2: interim answers are passed over, up to the limits of one head")
    func interim() {
        let interim =
            Fixtures.head(["HTTP/1.1 100 Continue"])
            + Fixtures.head(["HTTP/1.1 103 Early Hints", "Link: x"])
        let head = Fixtures.head(Fixtures.switching)
        for pieces in everySplit(interim + head) {
            let result = ResponseReader.read(pieces)
            #expect(result.consumed == interim.count + head.count)
            guard case .opened(let opened) = result.outcome else {
                Issue.record("not opened")
                return
            }
            #expect(opened.headers["Link"] == nil)
        }
        let flood = (0..<1_000).flatMap { _ in Fixtures.head(["HTTP/1.1 100 Continue"]) }
        #expect(violation(ResponseReader.read([flood]))?.closeCode == .messageTooBig)
    }

    static let spoiled = [
        "HTTP/1.1 101 X\nUpgrade: websocket\n\n", "HTTP/1.1 101 X\r\nUpgrade : websocket\r\n\r\n",
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\n folded\r\n\r\n",
        "HTTP/1.1 101 X\r\nA\0: b\r\n\r\n",
        "HTTP/1.1 101 X\r\nA\u{1}: b\r\n\r\n", "HTTP/1.1 101 X\r\nno colon\r\n\r\n",
        "HTTP/2.0 101 X\r\n\r\n", "HTTP/1.1 1O1 X\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n\r\n", "\r\n\r\n",
        "HTTP/1.0 101 X\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}", "HTTP/1.1 099 X\r\n\r\n",
    ]

    @Test("RFC 9112 2.2, 5: an answer that is no lawful HTTP fails with 1002", arguments: spoiled)
    func unlawfulHead(text: String) {
        for pieces in everySplit(Array(text.utf8)) {
            let violation = violation(ResponseReader.read(pieces))
            #expect(violation?.closeCode == .protocolError)
            #expect(violation?.clause == "4.1")
        }
    }

    @Test(
        "RFC 9112 4: a server that speaks first fails at its first byte, and what it said is told",
        arguments: [
            ("SSH-2.0-OpenSSH_9.6\r\n", #""SSH-2.0-OpenSSH_9.6\r\n""#),
            ("220 mail.test ESMTP\r\n", #""220 mail.test ESMTP\r\n""#),
            ("J\0\0\0\n8.0.36\0", #""J\x00\x00\x00\n8.0.36\x00""#),
            ("+OK POP3 ready\r\n", #""+OK POP3 ready\r\n""#),
            ("\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{16}", "TLS, as for a wss URL"),
            ("GET /?token=secret HTTP/1.1\r\nHost: h\r\n\r\n", "a request"),
        ])
    func greeting(text: String, words: String) {
        let bytes = Array(text.utf8)
        for pieces in everySplit(bytes) {
            let result = ResponseReader.read(pieces)
            #expect(result.consumed == 1)
            #expect(violation(result)?.closeCode == .protocolError)
            #expect(violation(result)?.expected == "an HTTP/1.1 status line (RFC 9112 4)")
        }
        #expect(violation(ResponseReader.read([bytes]))?.seen == words)
        #expect(violation(ResponseReader.read([bytes]))?.description.contains("secret") == false)
    }

    @Test(
        "RFC 9112 4: of a long greeting 32 bytes are shown, of what came before the wrong byte too")
    func longGreeting() {
        let long = String(repeating: "x", count: 70_000)
        let first = violation(ResponseReader.read([Array(long.utf8)]))
        #expect(first?.seen == "\"\(long.prefix(32))\"…")
        let pieces = ["HTTP/1.1", " 2x", "00 OK\r\nSet-Cookie: secret"].map { Array($0.utf8) }
        #expect(violation(ResponseReader.read(pieces))?.seen == #""HTTP/1.1 2x""#)
        let whole = violation(ResponseReader.read([pieces.flatMap { $0 }]))
        #expect(whole?.seen == #""HTTP/1.1 2x00 OK\r\n""#)
    }

    @Test("RFC 9112 4: behind an interim answer a greeting is one, too")
    func greetingBehindInterim() {
        let interim = Fixtures.head(["HTTP/1.1 100 Continue"])
        for pieces in everySplit(interim + Array("SSH".utf8)) {
            let result = ResponseReader.read(pieces)
            #expect(result.consumed == interim.count + 1)
            #expect(violation(result)?.expected == "an HTTP/1.1 status line (RFC 9112 4)")
        }
    }

    /// The result without what is told of a greeting, which is as much as one read brought.
    private func withoutGreeting(
        _ result: ReaderResult<ResponseReader.Outcome>
    ) -> ReaderResult<ResponseReader.Outcome> {
        guard let violation = violation(result)?.withoutGreeting else { return result }
        return ReaderResult(outcome: .failed(violation), consumed: result.consumed)
    }

    @Test("P4: a million headers fail at the limit, at once and whatever the pieces are")
    func millionHeaders() {
        let lines = Array("A: b\r\n".utf8)
        var reader = ResponseReader(key: Fixtures.key)
        let first = Array("HTTP/1.1 101 X\r\n".utf8)
        #expect(reader.receive(first.span).outcome == nil)
        var outcomes: [ResponseReader.Outcome] = []
        var consumed = 0
        for _ in 0..<1_000_000 where outcomes.isEmpty {
            let (count, outcome) = reader.receive(lines.span)
            consumed += count
            if let outcome { outcomes.append(outcome) }
        }
        #expect(consumed == 129 * lines.count)
        #expect(
            violation(ReaderResult(outcome: outcomes.first, consumed: 0))?.closeCode
                == .messageTooBig)
        #expect(reader.receive(lines.span).consumed == 0)
    }

    @Test(
        "P4: a header value of 100 KiB fails at the limit of bytes, fed byte by byte in linear time"
    )
    func hugeValue() {
        let head = Array("HTTP/1.1 101 X\r\nA: ".utf8)
        let bytes = head + [UInt8](repeating: 0x61, count: 102_400)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let result = ResponseReader.read(pieces)
            #expect(result.consumed == 16_385)
            #expect(violation(result)?.closeCode == .messageTooBig)
        }
    }

    @Test(
        "P5: an answer spoiled in any one byte has one outcome however it is cut, and never traps")
    func mutations() {
        let bytes = Fixtures.head(Fixtures.switching)
        for index in bytes.indices {
            for byte: UInt8 in [0, 9, 10, 13, 32, 58, 0x7F, 0xFF] {
                var spoiled = bytes
                spoiled[index] = byte
                let whole = ResponseReader.read([spoiled], endsStream: true)
                let cut = ResponseReader.read(spoiled.map { [$0] }, endsStream: true)
                #expect(withoutGreeting(cut) == withoutGreeting(whole))
            }
        }
    }

    @Test("P5: random answers in random pieces never trap, and the pieces do not matter")
    func randomAnswers() {
        var random = SeededSource(seed: 0x5EED)
        let words = [
            "HTTP/1.1 ", "101", "403", "100", " X", "\r\n", "\r\n\r\n", "\n", "Upgrade: websocket",
            "Connection: upgrade", "Sec-WebSocket-Accept: \(Fixtures.accept)", ":",
            "Content-Length: 3",
            "Transfer-Encoding: chunked", "Sec-WebSocket-Protocol: a", "2\r\nab\r\n", "0\r\n", " ",
            "é",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<14, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
            var rest = Array(("HTTP/1.1 " + text.joined()).utf8)
            let whole = ResponseReader.read([rest], subprotocols: ["a"], endsStream: true)
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let size = Int.random(in: 1...rest.count, using: &random)
                pieces.append(Array(rest.prefix(size)))
                rest.removeFirst(size)
            }
            let cut = ResponseReader.read(pieces, subprotocols: ["a"], endsStream: true)
            #expect(withoutGreeting(cut) == withoutGreeting(whole))
        }
    }

    @Test("J1: a violation shows nothing of what the server sent")
    func secrecy() {
        for line in ["Sec-WebSocket-Accept: canary", "canary", "canary : x", "Upgrade: canary"] {
            let lines = Fixtures.switching.filter { !$0.hasPrefix(line.prefix(8)) } + [line]
            let violation = violation(ResponseReader.read([Fixtures.head(lines)]))
            #expect(violation.map { String(reflecting: $0).contains("canary") } == false)
        }
    }
}
