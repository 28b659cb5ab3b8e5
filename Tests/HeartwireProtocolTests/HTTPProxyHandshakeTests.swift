import Testing

@testable import HeartwireProtocol

@Suite struct HTTPProxyHandshakeTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nContent-Length: 77\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ]

    private func request(_ proxy: String, _ url: String) throws -> [String] {
        let bytes = HTTPProxyHandshake.request(try ProxyServer(proxy), to: try WebSocketURL(url))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    private func outcome(_ answer: String, limits: Limits = Limits()) throws -> ProxyRun {
        try ProxyRun("http://proxy", to: "ws://h", [Array(answer.utf8)], limits: limits)
    }

    @Test("K05-22: CONNECT names host and port, and Host says the same")
    func requests() throws {
        #expect(
            try request("http://proxy", "wss://example.com/x?token=1") == [
                "CONNECT example.com:443 HTTP/1.1", "Host: example.com:443",
            ])
        #expect(
            try request("http://proxy", "ws://bücher.test:8080") == [
                "CONNECT xn--bcher-kva.test:8080 HTTP/1.1", "Host: xn--bcher-kva.test:8080",
            ])
    }

    @Test("K05-22: an IPv6 target stands in brackets")
    func ipv6() throws {
        #expect(
            try request("http://proxy", "ws://[2001:db8::1]/") == [
                "CONNECT [2001:db8::1]:80 HTTP/1.1", "Host: [2001:db8::1]:80",
            ])
    }

    @Test("K05-24: a ws: URL goes by CONNECT, too, and its credentials stay for the server")
    func plain() throws {
        let lines = try request("http://proxy", "ws://user:secret@origin.test:8080/x")
        #expect(lines.first == "CONNECT origin.test:8080 HTTP/1.1")
        #expect(!lines.contains { $0.contains("Authorization") })
    }

    @Test("RFC 9110 11.7.2: the proxy's credentials go out as Proxy-Authorization")
    func credentials() throws {
        #expect(
            try request("http://user:pass@proxy", "ws://h").last
                == "Proxy-Authorization: Basic dXNlcjpwYXNz")
    }

    @Test(
        "K05-22: any 2xx opens the tunnel right behind the blank line, cut anywhere",
        arguments: answers)
    func established(_ answer: String) throws {
        let behind: [UInt8] = [0x81, 1, 0x41]
        let bytes = Array(answer.utf8) + behind
        for cut in 0...bytes.count {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            let run = try ProxyRun("http://proxy", to: "ws://h", pieces)
            #expect(run.outcome == .established)
            #expect(run.rest == behind)
        }
    }

    @Test("P6: another status is a failure with that status", arguments: [101, 302, 403, 407, 503])
    func refused(_ status: Int) throws {
        let run = try outcome("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
        #expect(run.outcome == .failed(.status(status)))
    }

    @Test(
        "P5: what is no HTTP is a failure",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "\r\n", "HTTP/1.1 200 OK\n\n",
            "HTTP/1.1 200 OK\r\n bad\r\n\r\n", "\0",
        ])
    func malformed(_ answer: String) throws {
        #expect(try outcome(answer).outcome == .failed(.malformedAnswer))
    }

    @Test(
        "RFC 9112 4: a proxy that speaks something else fails at its first wrong byte",
        arguments: [
            ("SSH-2.0-OpenSSH_9\r\n", 1), ("\u{5}\0", 1), ("HTTP/1.1 2x", 11), ("\u{16}", 1),
        ])
    func greeting(_ text: String, _ count: Int) throws {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            let run = try ProxyRun("http://proxy", to: "ws://h", pieces)
            #expect(run.outcome == .failed(.malformedAnswer))
            #expect(run.rest.count == bytes.count - count)
        }
    }

    @Test("P4: a head without an end is a failure at the limit, interim answers included")
    func endless() throws {
        var limits = Limits()
        limits.headBytes = 60
        let long = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 60)
        #expect(try outcome(long, limits: limits).outcome == .failed(.malformedAnswer))
        let interim = String(repeating: "HTTP/1.1 100 C\r\n\r\n", count: 9)
        #expect(try outcome(interim, limits: limits).outcome == .failed(.malformedAnswer))
    }
}
