import HeartwireSession
import Testing

@Suite("TLSFailure: why TLS failed")
struct TLSFailureTests {
    static let samples: [(TLSFailure, TLSFailure.Kind, String)] = [
        (.untrusted("self-signed certificate"), .untrusted, "not trusted: self-signed certificate"),
        (.nameMismatch, .nameMismatch, "is for another name"),
        (.expired, .expired, "has expired"),
        (.notYetValid, .notYetValid, "is not valid yet"),
        (.pinMismatch, .pinMismatch, "is pinned"),
        (.applicationProtocol, .applicationProtocol, "ALPN"),
        (.version, .version, "no version of TLS"),
        (.notTLS, .notTLS, "does not speak TLS"),
        (.alert(48), .alert, "alert 48"),
        (.truncated, .truncated, "TLS truncated"),
        (.broken("bad record mac"), .broken, "broke TLS: bad record mac"),
        (.configuration("no key"), .configuration, "not configured right: no key"),
        (.unavailable, .unavailable, "no TLS"),
    ]

    @Test("P3: each failure has its kind and its words", arguments: samples)
    func sample(failure: TLSFailure, kind: TLSFailure.Kind, words: String) {
        #expect(failure.kind == kind)
        #expect("\(failure)".contains(words))
    }

    @Test("P3: every kind has a sample here and a name of its own")
    func kinds() {
        #expect(Set(Self.samples.map(\.1)) == Set(TLSFailure.Kind.allCases))
        let names = TLSFailure.Kind.allCases.map(\.rawValue)
        #expect(Set(names).count == Self.samples.count)
        #expect(names.contains("name-mismatch"))
        #expect(Set(Self.samples.map { "\($0.0)" }).count == Self.samples.count)
    }

    @Test("G4: a failure of TLS is a failure of the connection that says what it was")
    func connectionFailure() {
        let failure = ConnectionFailure(.nameMismatch)
        #expect(failure.kind == .tls)
        #expect(failure.tls == .nameMismatch)
        #expect(failure.systemCode == 0)
        #expect("\(failure)" == "\(TLSFailure.nameMismatch)")
        #expect("\(ConnectionFailure(.tls))" == "TLS failed")
        #expect(ConnectionFailure(.reset).tls == nil)
        let cause = CloseCause.connectFailed(failure)
        #expect(cause.number == nil)
        #expect("\(cause)" == "cannot connect: the server's certificate is for another name")
    }
}
