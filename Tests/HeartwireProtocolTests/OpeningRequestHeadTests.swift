import Testing

@testable import HeartwireProtocol

@Suite struct OpeningRequestHeadTests {
    private func head(_ target: String) -> OpeningRequestHead {
        OpeningRequestHead(
            target: target, headers: ["Cookie": "canary"], host: "h", key: HandshakeFixtures.key)
    }

    @Test("without a list the client offers no subprotocol and no extension")
    func defaults() {
        #expect(head("/").subprotocols.isEmpty)
        #expect(head("/").extensions.isEmpty)
        #expect(head("/").host == "h")
    }

    @Test("RFC 6455 9.1: the fields of extensions form one list")
    func extensions() {
        let head = OpeningRequestHead(
            target: "/", headers: [:], host: "h", key: HandshakeFixtures.key,
            extensions: ["a; b=1, c", "d"])
        #expect(head.extensionElements.map(\.name) == ["a", "c", "d"])
        #expect(self.head("/").extensionElements.isEmpty)
        let broken = OpeningRequestHead(
            target: "/", headers: [:], host: "h", key: HandshakeFixtures.key, extensions: ["a;;"])
        #expect(broken.extensionElements.isEmpty)
    }

    @Test("A head that is kept as bytes reads as it came")
    func bytes() throws {
        var reader = RequestReader()
        let lines =
            HandshakeFixtures.request + ["Sec-WebSocket-Protocol: a, b", "X-Own:  two words "]
        let wire = HandshakeFixtures.head(lines)
        guard case .received(let head) = reader.receive(wire.span).outcome else {
            Issue.record("no lawful head")
            return
        }
        #expect(head.subprotocols == ["a", "b"])
        #expect(OpeningRequestHead(bytes: head.bytes) == head)
        // The allocator may give more than was asked for; a room for any head would be thousands.
        #expect(head.bytes.capacity < 2 * head.bytes.count + 64)
        #expect(OpeningRequestHead(bytes: Array(head.bytes.dropLast())) == nil)
        #expect(OpeningRequestHead(bytes: []) == nil)
    }

    @Test("J1: the description is the path without the query, and shows no header")
    func description() {
        #expect("\(head("/a/b"))" == "GET /a/b")
        #expect("\(head("/a?token=canary"))" == "GET /a?…")
        #expect("\(head("/a?\u{301}canary"))" == "GET /a?…")
        #expect("\(head("/\u{1B}"))" == "GET /\\u{1b}")
        #expect(!String(reflecting: head("/?canary")).contains("canary"))
    }
}
