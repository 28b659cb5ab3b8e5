import HeartwireProtocol
import Testing

@Suite struct OpeningResultTests {
    @Test("a result says what was settled, and nothing was when nothing is said")
    func parts() {
        let result = OpeningResult(subprotocol: "mqtt", headers: ["Server": "x"])
        #expect(result.subprotocol == "mqtt")
        #expect(result.headers["server"] == "x")
        #expect(OpeningResult().subprotocol == nil)
        #expect(OpeningResult().compression == nil)
        let agreed = DeflateParameters()
        #expect(OpeningResult(compression: agreed).compression == agreed)
        #expect(OpeningResult().headers.isEmpty)
    }

    @Test("J1: a result in a log shows no header value")
    func secrecy() {
        #expect(!"\(OpeningResult(headers: ["Set-Cookie": "canary"]))".contains("canary"))
    }
}
