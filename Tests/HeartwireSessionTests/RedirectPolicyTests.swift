import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("RedirectPolicy: what to do with a redirect")
struct RedirectPolicyTests {
    @Test("P6: no redirect is followed unless asked for")
    func refused() {
        #expect(RedirectPolicy.refuse.limit == 0)
        #expect(RedirectPolicy.refuse.trail == nil)
    }

    @Test("P6: at most five are followed, whatever is asked for")
    func limits() {
        #expect(RedirectPolicy.follow == .follow(atMost: 5))
        #expect(RedirectPolicy.follow.limit == 5)
        #expect(RedirectPolicy.follow(atMost: 2).limit == 2)
        #expect(RedirectPolicy.follow(atMost: 6).limit == 5)
        #expect(RedirectPolicy.follow(atMost: -1).limit == 0)
    }

    @Test("P6: the trail of an attempt has the policy's limit")
    func trail() throws {
        var trail = try #require(RedirectPolicy.follow(atMost: 1).trail)
        let request = try OpeningRequest(url: try WebSocketURL("ws://h/"))
        let refusal = Refusal(status: 302, headers: ["Location": "/a"])
        let next = try trail.follow(refusal, from: request)
        #expect(throws: RedirectFault.tooMany) {
            try trail.follow(Refusal(status: 302, headers: ["Location": "/b"]), from: next)
        }
    }
}
