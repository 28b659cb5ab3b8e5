import HeartwireProtocol
import Testing

@Suite struct RedirectFaultTests {
    @Test("P6: each fault has words of its own")
    func descriptions() {
        let words = RedirectFault.allCases.map(\.description)
        #expect(Set(words).count == RedirectFault.allCases.count)
        #expect(RedirectFault.downgrade.description == "it leads from wss to ws")
    }

    @Test("P6: a refusal tells why its redirect was not followed")
    func refusal() {
        var refusal = Refusal(status: 302, reasonPhrase: "Found")
        #expect("\(refusal)" == "the server answered HTTP 302 Found")
        refusal.redirectFault = .loop
        #expect(
            "\(refusal)"
                == "the server answered HTTP 302 Found, which was not followed: it leads in a circle"
        )
    }
}
