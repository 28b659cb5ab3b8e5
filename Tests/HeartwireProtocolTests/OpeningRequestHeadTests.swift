import HeartwireProtocol
import Testing

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

    @Test("J1: the description is the path without the query, and shows no header")
    func description() {
        #expect("\(head("/a/b"))" == "GET /a/b")
        #expect("\(head("/a?token=canary"))" == "GET /a?…")
        #expect("\(head("/a?\u{301}canary"))" == "GET /a?…")
        #expect("\(head("/\u{1B}"))" == "GET /\\u{1b}")
        #expect(!String(reflecting: head("/?canary")).contains("canary"))
    }
}
