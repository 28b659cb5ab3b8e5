import Testing

@testable import HeartwireProtocol

@Suite struct OpeningResponseTests {
    private func accept(_ subprotocol: String? = nil, _ headers: HeaderFields = [:]) -> String {
        String(
            decoding: OpeningResponse.accept(
                key: HandshakeFixtures.key, subprotocol: subprotocol, headers: headers),
            as: UTF8.self)
    }

    private func reject(_ status: Int, _ headers: HeaderFields = [:], _ body: String = "") -> String
    {
        String(
            decoding: OpeningResponse.reject(status: status, headers: headers, body: body),
            as: UTF8.self)
    }

    @Test("RFC 6455 4.2.2: the 101 has the line and the headers that the clause lists")
    func plain() {
        #expect(
            accept("mqtt", ["Server": "x"]) == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                Sec-WebSocket-Protocol: mqtt\r
                Server: x\r
                \r

                """)
        #expect(!accept().contains("Sec-WebSocket-Protocol"))
    }

    @Test("RFC 6455 9.1: the extensions that were agreed on have a header")
    func extensions() {
        let bytes = OpeningResponse.accept(
            key: HandshakeFixtures.key, subprotocol: nil, extensions: "x; y=1", headers: [:])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\r\nSec-WebSocket-Extensions: x; y=1\r\n"))
        #expect(!accept().contains("Sec-WebSocket-Extensions"))
    }

    @Test("the client's reader takes what accept writes")
    func pair() {
        let bytes = OpeningResponse.accept(key: HandshakeFixtures.key, subprotocol: "mqtt")
        let result = ResponseReader.read([bytes], subprotocols: ["mqtt"])
        #expect(result.consumed == bytes.count)
        guard case .opened(let opened) = result.outcome else {
            Issue.record("not opened")
            return
        }
        #expect(opened.subprotocol == "mqtt")
    }

    @Test("K05-13: nothing that is given can break out of its line or speak for the handshake")
    func unlawful() {
        let headers: HeaderFields = [
            "A": "b\r\nX-Evil: 1", "B\r\nX-Evil": "1", "C": "\0", "Upgrade": "h2c",
            "Connection": "close",
            "Sec-WebSocket-Accept": "X-Evil", "Content-Length": "5", "Transfer-Encoding": "chunked",
            "D": "ok",
        ]
        let plain = accept(nil, ["D": "ok"])
        #expect(accept(nil, headers) == plain)
        #expect(accept("p\r\nX-Evil: 1", ["D": "ok"]) == plain)
        #expect(accept("", ["D": "ok"]) == plain)
        #expect(reject(403, headers) == reject(403, ["D": "ok"]))
    }

    @Test("a refusal has its phrase, its length, and says that the connection ends")
    func refusal() {
        #expect(
            reject(403, ["X": "1"], "no") == """
                HTTP/1.1 403 Forbidden\r
                Connection: close\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Length: 2\r
                X: 1\r
                \r
                no
                """)
        #expect(
            reject(418) == "HTTP/1.1 418 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        #expect(reject(400, [:], "é").contains("Content-Length: 2\r\n"))
    }

    @Test("a content type of the server's own is the only one")
    func contentType() {
        let text = reject(400, ["content-type": "application/json"], "{}")
        #expect(text.contains("content-type: application/json\r\n"))
        #expect(!text.contains("text/plain"))
    }

    @Test("RFC 6455 4.4: a 426 says which version would be accepted")
    func upgradeRequired() {
        let text = reject(426)
        #expect(text.contains("\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n"))
        #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
        #expect(reject(426, ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]) == text)
    }

    @Test("RFC 9110 9.3.2, 8.6: the answer to a HEAD has neither content nor the length of any")
    func toHead() {
        let bytes = OpeningResponse.reject(status: 405, body: "why", isToHead: true)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nAllow: GET\r\n\r\n")
    }

    @Test("RFC 9110 15.5.6: a 405 says which method would be accepted, once")
    func methodNotAllowed() {
        #expect(reject(405).contains("\r\nAllow: GET\r\n"))
        #expect(reject(405, ["allow": "GET"]).lowercased().split(separator: "allow:").count == 2)
    }

    @Test("RFC 9110 6.4.1: 204 and 304 go out without body and length", arguments: [204, 304])
    func bodyless(status: Int) {
        let text = reject(status, [:], "body")
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(
        "a status that would not end the exchange becomes 500",
        arguments: [101, 100, 199, 0, -1, 1000, Int.max])
    func senselessStatus(status: Int) {
        #expect(reject(status).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test("the client's reader gives back every status from 200 to 999, phrase and body")
    func statuses() {
        for status in 200...999 {
            let bytes = OpeningResponse.reject(
                status: status, headers: ["Retry-After": "7"], body: "why")
            let result = ResponseReader.read([bytes])
            guard case .refused(let refusal) = result.outcome else {
                Issue.record("status \(status) is no refusal")
                continue
            }
            #expect(refusal.status == status)
            #expect(refusal.retryAfterSeconds == 7)
            let isBodyless = status == 204 || status == 304
            #expect(refusal.body == (isBodyless ? [] : Array("why".utf8)))
        }
    }
}
