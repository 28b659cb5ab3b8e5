import Testing

@testable import HeartwireProtocol

/// A handshake with a proxy, fed piece by piece.
struct ProxyRun {
    var outcome: ProxyHandshake.Outcome?
    /// What was not consumed.
    var rest: [UInt8] = []
    /// What went out, a group for each call that made something go out.
    var sent: [[UInt8]] = []

    init(
        _ proxy: String, to url: String, _ pieces: [[UInt8]], limits: Limits = Limits()
    ) throws {
        var handshake = ProxyHandshake(
            try ProxyServer(proxy), to: try WebSocketURL(url), limits: limits)
        sent.append(handshake.takeOutgoing())
        for piece in pieces {
            let (consumed, result) = handshake.receive(piece.span)
            rest += piece[consumed...]
            if let result {
                #expect(outcome == nil, "one outcome only")
                outcome = result
            }
            let answer = handshake.takeOutgoing()
            if !answer.isEmpty { sent.append(answer) }
        }
    }
}

@Suite struct ProxyHandshakeTests {
    @Test("P6: the first bytes are those of the proxy's own protocol, and are given once")
    func first() throws {
        var http = ProxyHandshake(try ProxyServer("http://p"), to: try WebSocketURL("ws://h"))
        #expect(String(decoding: http.takeOutgoing(), as: UTF8.self).hasPrefix("CONNECT h:80 "))
        #expect(http.takeOutgoing().isEmpty)
        var socks = ProxyHandshake(try ProxyServer("socks5://p"), to: try WebSocketURL("ws://h"))
        #expect(socks.takeOutgoing() == [5, 1, 0])
        #expect(socks.takeOutgoing().isEmpty)
    }

    @Test("P6: after the outcome nothing is consumed and no second outcome is given")
    func over() throws {
        let ok = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        let run = try ProxyRun("http://p", to: "ws://h", [ok, ok])
        #expect(run.outcome == .established)
        #expect(run.rest == ok)
        let failed = try ProxyRun("socks5://p", to: "ws://h", [[4], [5, 0]])
        #expect(failed.outcome == .failed(.malformedAnswer))
        #expect(failed.rest == [5, 0])
    }

    @Test(
        "P6: a proxy that ends the stream without an answer has failed",
        arguments: ["http", "socks5"])
    func ended(_ scheme: String) throws {
        var handshake = ProxyHandshake(
            try ProxyServer("\(scheme)://p"), to: try WebSocketURL("ws://h"))
        #expect(handshake.receiveEOF() == .ended)
        let bytes: [UInt8] = [5, 0]
        #expect(handshake.receive(bytes.span).consumed == 0)
    }

    @Test("P5: no bytes, however strange, make a handshake trap or consume more than there is")
    func garbage() throws {
        var random = SplitMix64(seed: 7)
        let proxies = ["http://u:p@p", "socks5://u:p@p"]
        for round in 0..<2_000 {
            let pieces = (0..<4).map { _ in
                (0..<Int(random.next() % 9)).map { _ in
                    UInt8(truncatingIfNeeded: random.next() % 6)
                }
            }
            let run = try ProxyRun(proxies[round % 2], to: "ws://h", pieces)
            #expect(run.rest.count <= pieces.joined().count)
        }
    }
}
