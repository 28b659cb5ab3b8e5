import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("VerdictTable: what follows on which end")
struct VerdictTableTests {
    let table = VerdictTable()

    @Test(
        "R3: close codes after which a new connection may do better are retried",
        arguments: [
            1000, 1001, 1004, 1006, 1011, 1012, 1013, 1014, 2999, 3001, 3008, 3999, 4000,
            4400, 4402, 4999,
        ] as [UInt16])
    func retriedCodes(code: UInt16) {
        let code = CloseCode(rawValue: code)
        #expect(table[.closeCode(code)] == .retry)
        #expect(table.verdict(for: .closedByPeer(PeerClose(code: code))) == .retry)
    }

    @Test("R3: a Close without a code counts as 1005 and is retried")
    func noCode() {
        #expect(table.verdict(for: .closedByPeer(PeerClose(code: nil))) == .retry)
        var changed = table
        changed[.closeCode(1005)] = .stop
        #expect(changed.verdict(for: .closedByPeer(PeerClose(code: nil))) == .stop)
    }

    @Test(
        "R3: close codes that blame this client stop",
        arguments: [1002, 1003, 1007, 1008, 1009, 1010, 1015, 3003, 4403] as [UInt16])
    func stoppingCodes(code: UInt16) {
        let peer = PeerClose(code: CloseCode(rawValue: code))
        #expect(table.verdict(for: .closedByPeer(peer)) == .stop)
    }

    @Test("R3: close codes for a missing authorization ask for credentials")
    func unauthorizedCodes() {
        for code in [3000, 4401] as [UInt16] {
            let peer = PeerClose(code: CloseCode(rawValue: code))
            #expect(table.verdict(for: .closedByPeer(peer)) == .refreshCredentials)
        }
    }

    @Test(
        "R3: each HTTP answer has its verdict",
        arguments: [
            (200, .retry), (204, .retry), (299, .retry), (300, .stop), (301, .stop), (308, .stop),
            (400, .stop), (401, .refreshCredentials), (402, .stop), (403, .stop), (404, .stop),
            (407, .refreshCredentials), (408, .retry), (410, .stop), (425, .retry), (426, .stop),
            (429, .retry), (499, .stop), (500, .retry), (502, .retry), (503, .retry),
            (504, .retry), (599, .retry), (600, .stop), (199, .stop), (0, .stop), (-1, .stop),
        ] as [(Int, Verdict)])
    func statuses(status: Int, verdict: Verdict) {
        #expect(table[.status(status)] == verdict)
        #expect(table.verdict(for: .refused(Refusal(status: status))) == verdict)
    }

    @Test(
        "R3: what a proxy says has its verdict",
        arguments: [
            (.status(407), .refreshCredentials), (.credentialsRefused, .refreshCredentials),
            (.status(403), .stop), (.status(302), .stop), (.status(404), .stop),
            (.status(408), .retry), (.status(429), .retry), (.status(502), .retry),
            (.status(599), .retry), (.noAcceptableMethod, .stop), (.reply(1), .retry),
            (.reply(2), .stop), (.reply(3), .retry), (.reply(5), .retry), (.reply(7), .stop),
            (.reply(8), .stop), (.malformedAnswer, .retry), (.ended, .retry),
            (.unavailable, .stop),
        ] as [(ProxyFailure, Verdict)])
    func proxies(failure: ProxyFailure, verdict: Verdict) {
        #expect(table[.proxy(failure)] == verdict)
        #expect(table.verdict(for: .connectFailed(ConnectionFailure(failure))) == verdict)
        var changed = table
        changed[.proxy(failure)] = .retryAfter(.seconds(9))
        #expect(
            changed.verdict(for: .connectFailed(ConnectionFailure(failure)))
                == .retryAfter(.seconds(9)))
    }

    @Test("R3: what the network did is retried, what the app did is not")
    func kinds() {
        let failure = ConnectionFailure(.reset)
        let retried: [CloseCause] = [
            .heartbeatTimeout, .connectTimeout(.tcp), .connectFailed(failure),
            .badHandshake(violation), .protocolViolation(violation), .connectionLost(failure),
            .requestFailed("no token"),
        ]
        for cause in retried {
            #expect(table.verdict(for: cause) == .retry)
            #expect(table[.kind(cause.kind)] == .retry)
        }
        #expect(table.verdict(for: .closedByApp(sent: 1000, answer: nil)) == .stop)
        #expect(table[.kind(.closedByApp)] == .stop)
        #expect(table[.kind(.closedByPeer)] == .retry)
        #expect(table[.kind(.refused)] == .stop)
    }

    @Test("R3: what TLS refuses stays refused, what broke it is tried again")
    func failuresOfTLS() {
        let retried: [TLSFailure.Kind] = [.alert, .truncated, .broken]
        for kind in TLSFailure.Kind.allCases {
            #expect(table[.tls(kind)] == (retried.contains(kind) ? .retry : .stop))
        }
        let untrusted = ConnectionFailure(.untrusted("self-signed"))
        let truncated = ConnectionFailure(.truncated)
        #expect(table.verdict(for: .connectFailed(untrusted)) == .stop)
        #expect(table.verdict(for: .connectFailed(truncated)) == .retry)
        #expect(table.verdict(for: .connectionLost(truncated)) == .retry)
        var changed = table
        changed[.tls(.untrusted)] = .retryAfter(.seconds(60))
        #expect(changed.verdict(for: .connectFailed(untrusted)) == .retryAfter(.seconds(60)))
        changed = table
        changed[.kind(.connectFailed)] = .retry
        #expect(changed.verdict(for: .connectFailed(untrusted)) == .retry)
    }

    @Test("R3: a failure of the network is retried, what the platform forbids is not")
    func failures() {
        let kinds: [ConnectionFailure.Kind] = [
            .resolution, .refused, .unreachable, .reset, .endOfStream, .timedOut, .tls, .proxy,
            .forbidden, .system,
        ]
        #expect(Set(kinds) == Set(ConnectionFailure.Kind.allCases))
        for kind in kinds {
            let verdict: Verdict = kind == .forbidden ? .stop : .retry
            let failure = ConnectionFailure(kind)
            #expect(table[.failure(kind)] == verdict)
            #expect(table.verdict(for: .connectFailed(failure)) == verdict)
            #expect(table.verdict(for: .connectionLost(failure)) == verdict)
            var changed = table
            changed[.kind(.connectFailed)] = .retryAfter(.seconds(1))
            #expect(changed.verdict(for: .connectFailed(failure)) == .retryAfter(.seconds(1)))
            changed[.failure(kind)] = .retryAfter(.seconds(2))
            #expect(changed.verdict(for: .connectFailed(failure)) == .retryAfter(.seconds(2)))
            #expect(changed.verdict(for: .connectionLost(failure)) == .retryAfter(.seconds(2)))
        }
    }

    @Test("R3: the app can change the verdict of a code, a status or a kind")
    func changes() {
        var table = VerdictTable()
        table[.closeCode(1008)] = .retry
        table[.status(503)] = .stop
        table[.kind(.heartbeatTimeout)] = .retryAfter(.seconds(3))
        #expect(table.verdict(for: .closedByPeer(PeerClose(code: 1008))) == .retry)
        #expect(table.verdict(for: .refused(Refusal(status: 503))) == .stop)
        #expect(table.verdict(for: .refused(Refusal(status: 502))) == .retry)
        #expect(table.verdict(for: .heartbeatTimeout) == .retryAfter(.seconds(3)))
        #expect(table != VerdictTable())
    }

    @Test("R3: a changed code or status goes before a changed kind, and that before the rest")
    func precedence() {
        var table = VerdictTable()
        table[.kind(.refused)] = .retry
        table[.status(404)] = .stop
        #expect(table.verdict(for: .refused(Refusal(status: 403))) == .retry)
        #expect(table.verdict(for: .refused(Refusal(status: 404))) == .stop)
        table[.kind(.closedByPeer)] = .stop
        #expect(table.verdict(for: .closedByPeer(PeerClose(code: 1001))) == .stop)
    }
}
