import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("ReconnectPolicy: whether and when to connect again")
struct ReconnectPolicyTests {
    @Test("R1, R2: the defaults are the standard backoff and stable after 5 s")
    func defaults() {
        let policy = ReconnectPolicy()
        #expect(policy.backoff == .standard)
        #expect(policy.stability == .seconds(5))
        #expect(policy.longestRetryAfter == .seconds(3_600))
        #expect(policy.verdicts == VerdictTable())
    }

    @Test(
        "K03-07: Retry-After in seconds is honoured; junk, negative and zero are ignored",
        arguments: [
            ("7", .retryAfter(.seconds(7))), ("-5", .retry), ("abc", .retry), ("0", .retry),
            ("", .retry), ("99999999999", .retryAfter(.seconds(3_600))),
        ] as [(String, Verdict)])
    func retryAfter(value: String, verdict: Verdict) {
        for status in [429, 503] {
            let refusal = Refusal(status: status, headers: ["Retry-After": value])
            #expect(ReconnectPolicy().verdict(for: .refused(refusal)) == verdict)
        }
    }

    @Test("K03-07: the longest Retry-After can be set, and nothing below zero comes of it")
    func longestRetryAfter() {
        let cause = CloseCause.refused(Refusal(status: 503, headers: ["Retry-After": "100"]))
        #expect(
            ReconnectPolicy(longestRetryAfter: .seconds(20)).verdict(for: cause)
                == .retryAfter(.seconds(20)))
        #expect(
            ReconnectPolicy(longestRetryAfter: .seconds(-1)).verdict(for: cause)
                == .retryAfter(.zero))
    }

    @Test("R3: Retry-After changes nothing where the verdict is not to retry")
    func retryAfterWithoutRetry() {
        for (status, verdict) in [(403, Verdict.stop), (401, .refreshCredentials)] {
            let refusal = Refusal(status: status, headers: ["Retry-After": "7"])
            #expect(ReconnectPolicy().verdict(for: .refused(refusal)) == verdict)
        }
    }

    @Test("R3: the table's own waits are bounded like those of a server")
    func tableWaits() {
        var policy = ReconnectPolicy()
        policy.verdicts[.closeCode(1013)] = .retryAfter(.seconds(86_400))
        policy.verdicts[.closeCode(1012)] = .retryAfter(.seconds(-1))
        #expect(
            policy.verdict(for: .closedByPeer(PeerClose(code: 1013)))
                == .retryAfter(.seconds(3_600)))
        #expect(
            policy.verdict(for: .closedByPeer(PeerClose(code: 1012))) == .retryAfter(.zero))
        #expect(policy.verdict(for: .heartbeatTimeout) == .retry)
    }
}
