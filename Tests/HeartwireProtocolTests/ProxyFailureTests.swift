import HeartwireProtocol
import Testing

@Suite struct ProxyFailureTests {
    @Test("P6: a failure says in words what the proxy said, with its number")
    func descriptions() {
        #expect(
            "\(ProxyFailure.status(407))"
                == "the proxy wants credentials, or others than it was given (HTTP 407)")
        #expect("\(ProxyFailure.status(502))" == "the proxy answered HTTP 502")
        #expect("\(ProxyFailure.reply(5))".contains("connection refused"))
        #expect("\(ProxyFailure.reply(200))".contains("SOCKS5 reply 200"))
        let all: [ProxyFailure] =
            (1...9).map { .reply($0) } + [
                .status(407), .status(403), .noAcceptableMethod, .credentialsRefused,
                .malformedAnswer, .ended, .unavailable,
            ]
        #expect(Set(all.map { "\($0)" }).count == all.count)
    }

    @Test("J1: the number is the status or the reply")
    func numbers() {
        #expect(ProxyFailure.status(403).number == 403)
        #expect(ProxyFailure.reply(2).number == 2)
        for failure in [
            ProxyFailure.noAcceptableMethod, .credentialsRefused, .malformedAnswer, .ended,
            .unavailable,
        ] {
            #expect(failure.number == nil)
        }
    }
}
