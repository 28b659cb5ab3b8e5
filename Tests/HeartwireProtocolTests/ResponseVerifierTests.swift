import Testing

@testable import HeartwireProtocol

@Suite struct ResponseVerifierTests {
    private typealias Fixtures = HandshakeFixtures

    private func read(
        _ lines: [String], subprotocols: [String] = [], deflate: DeflateOptions? = nil
    ) -> ResponseReader.Outcome? {
        let bytes = Fixtures.head(lines)
        let outcomes = everySplit(bytes).map { pieces in
            var reader = ResponseReader(
                key: Fixtures.key, offeredSubprotocols: subprotocols, deflate: deflate,
                limits: Limits())
            return pieces.compactMap { reader.receive($0.span).outcome }
        }
        #expect(Set(outcomes).count == 1, "the outcome depends on how the head was cut")
        #expect(outcomes[0].count == 1, "there is one outcome")
        return outcomes[0].first
    }

    private func opened(
        _ lines: [String], subprotocols: [String] = [], deflate: DeflateOptions? = nil
    ) -> OpeningResult? {
        guard
            case .opened(let result) = read(
                lines, subprotocols: subprotocols, deflate: deflate)
        else { return nil }
        return result
    }

    /// What was seen and expected, in the words of the violation.
    private func failure(
        _ lines: [String], subprotocols: [String] = [], deflate: DeflateOptions? = nil
    ) -> String? {
        guard
            case .failed(let violation) = read(
                lines, subprotocols: subprotocols, deflate: deflate)
        else { return nil }
        #expect(violation.closeCode == .protocolError)
        return "\(violation.expected) / \(violation.seen)"
    }

    private func spoiled(_ prefix: String, _ others: String...) -> [String] {
        Fixtures.replacing(prefix, in: Fixtures.switching, with: others)
    }

    @Test(
        "K05-03: names and values in any case are accepted, and an extension on offer is recognised"
    )
    func anyCase() {
        let lines = [
            "HTTP/1.1 101 x", "upgrade: WebSocket", "connection: UPGRADE",
            "sec-websocket-accept: \(Fixtures.accept)",
            "sec-websocket-extensions: permessage-deflate",
        ]
        let result = opened(lines, deflate: DeflateOptions())
        #expect(result?.compression == DeflateParameters())
        #expect(result?.headers["Sec-WebSocket-Extensions"] == "permessage-deflate")
        #expect(
            failure(lines)
                == "no extension but those on offer / another one in the extension negotiation")
    }

    @Test("K05-04: Connection may be a list or several headers, if the token is among them")
    func connection() {
        #expect(opened(spoiled("Connection", "Connection: upgrade, keep-alive")) != nil)
        #expect(
            opened(spoiled("Connection", "Connection: keep-alive", "Connection: Upgrade")) != nil)
        #expect(
            failure(spoiled("Connection", "Connection: keep-alive"))
                == "the header Connection: Upgrade / one without the token")
        #expect(
            failure(spoiled("Connection", "Connection: upgraded"))
                == "the header Connection: Upgrade / one without the token")
        #expect(failure(spoiled("Connection")) == "the header Connection: Upgrade / none")
    }

    @Test("K05-04: Upgrade has to be websocket alone")
    func upgrade() {
        let expected = "the header Upgrade: websocket"
        #expect(
            failure(spoiled("Upgrade", "Upgrade: websocket, h2c")) == "\(expected) / another value")
        #expect(
            failure(spoiled("Upgrade", "Upgrade: websocket", "Upgrade: websocket"))
                == "\(expected) / another value")
        #expect(failure(spoiled("Upgrade", "Upgrade: h2c")) == "\(expected) / another value")
        #expect(failure(spoiled("Upgrade", "Upgrade:")) == "\(expected) / another value")
        #expect(failure(spoiled("Upgrade")) == "\(expected) / none")
    }

    @Test("K05-05: Sec-WebSocket-Accept is there once and is the key's own, case and all")
    func accept() {
        let name = "Sec-WebSocket-Accept"
        let expected = "one Sec-WebSocket-Accept that matches the key"
        #expect(failure(spoiled(name)) == "\(expected) / none")
        let foreign = OpeningRequest.acceptValue(for: "AAAAAAAAAAAAAAAAAAAAAA==")
        #expect(failure(spoiled(name, "\(name): \(foreign)")) == "\(expected) / another value")
        let line = "\(name): \(Fixtures.accept)"
        #expect(failure(spoiled(name, line, line)) == "\(expected) / 2 of them")
        #expect(opened(spoiled(name, "\(name): \t\(Fixtures.accept) \t")) != nil)
        #expect(
            failure(spoiled(name, "\(name): \(Fixtures.accept.lowercased())"))
                == "\(expected) / another value")
        let kelvin = Fixtures.accept.map { $0 == "K" ? "\u{212A}" : String($0) }.joined()
        #expect(kelvin == Fixtures.accept)
        #expect(failure(spoiled(name, "\(name): \(kelvin)")) == "\(expected) / another value")
    }

    @Test("RFC 6455 4.1: an extension that was not on offer fails; an empty list grants nothing")
    func extensions() {
        func with(_ value: String) -> [String] {
            Fixtures.switching + ["Sec-WebSocket-Extensions: \(value)"]
        }
        let offer = DeflateOptions()
        let agreed = opened(
            with("Permessage-Deflate ;server_no_context_takeover"), deflate: offer)?.compression
        #expect(agreed?.serverNoContextTakeover == true)
        #expect(opened(Fixtures.switching, deflate: offer)?.compression == nil)
        #expect(opened(with("")) != nil)
        #expect(opened(with(" , ")) != nil)
        #expect(failure(with("permessage-deflate, x-foo"), deflate: offer) != nil)
        #expect(failure(with("permessage-deflate2"), deflate: offer) != nil)
        #expect(
            failure(with(";x"), deflate: offer)
                == "extensions in the grammar of 9.1 / something else in the extension negotiation")
        for separator in [", ", "\r\nSec-WebSocket-Extensions: "] {
            #expect(
                failure(
                    with("permessage-deflate\(separator)permessage-deflate"), deflate: offer)
                    == "one permessage-deflate / 2 of them in the extension negotiation")
        }
    }

    @Test(
        "K07-02: a hostile answer to the offer fails the handshake, and its violation says why",
        arguments: [
            "server_max_window_bits=99999999999", "server_max_window_bits=16",
            "server_max_window_bits=7", "server_max_window_bits=015", "server_max_window_bits=",
            "server_max_window_bits", "server_max_window_bits=-1", "unknown_param",
            "server_no_context_takeover; server_no_context_takeover",
            "server_no_context_takeover=1", "client_max_window_bits",
        ])
    func hostile(_ parameters: String) {
        let line = "Sec-WebSocket-Extensions: permessage-deflate; \(parameters)"
        let words = failure(Fixtures.switching + [line], deflate: DeflateOptions())
        #expect(words?.hasSuffix(" in the extension negotiation") == true)
        #expect(words?.contains("99999999999") == false)
    }

    @Test("K07-02: the quoted 10 is lawful")
    func quoted() {
        let line = "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=\"10\""
        let result = opened(Fixtures.switching + [line], deflate: DeflateOptions())
        #expect(result?.compression?.serverMaxWindowBits == 10)
    }

    @Test("K07-02: an extension that was not on offer fails, whatever else was")
    func other() {
        let line = "Sec-WebSocket-Extensions: x-webkit-deflate-frame"
        #expect(
            failure(Fixtures.switching + [line], deflate: DeflateOptions())
                == "no extension but those on offer / another one in the extension negotiation")
    }

    @Test("RFC 6455 4.1: the subprotocol is one of those on offer, exactly, and stands there once")
    func subprotocol() {
        let expected = "at most one subprotocol, out of those on offer"
        func with(_ values: String...) -> [String] {
            Fixtures.switching + values.map { "Sec-WebSocket-Protocol: \($0)" }
        }
        let offer = ["mqtt", "K"]
        #expect(opened(with("mqtt"), subprotocols: offer)?.subprotocol == "mqtt")
        #expect(opened(with("K"), subprotocols: offer)?.subprotocol == "K")
        for value in ["MQTT", "mqtt, K", "", "stomp", "\u{212A}"] {
            #expect(failure(with(value), subprotocols: offer) == "\(expected) / another one")
        }
        #expect(failure(with("mqtt")) == "\(expected) / another one")
        #expect(failure(with("mqtt", "mqtt"), subprotocols: offer) == "\(expected) / 2 headers")
        let silent = opened(with(), subprotocols: offer)
        #expect(silent != nil)
        #expect(silent?.subprotocol == nil)
    }

    @Test("RFC 6455 4.1: a 101 in HTTP/1.0 fails, and a refusal in HTTP/1.0 is a refusal")
    func oldVersion() {
        let lines = ["HTTP/1.0 101 X"] + Fixtures.switching.dropFirst()
        #expect(failure(lines) == "HTTP/1.1 / a 101 in HTTP/1.0")
        guard case .refused(let refusal) = read(["HTTP/1.0 403 No", "Content-Length: 0"]) else {
            Issue.record("no refusal")
            return
        }
        #expect(refusal.status == 403)
    }

    @Test(
        "a head's fault becomes a violation: 1002 for a rule, 1009 for a limit",
        arguments: HeadFault.allCases)
    func headFault(fault: HeadFault) {
        let violation = ProtocolViolation(fault)
        #expect(violation.closeCode == (fault.isLimit ? .messageTooBig : .protocolError))
        #expect(violation.expected == fault.expected)
        #expect(violation.seen == fault.seen)
    }
}
