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
        (.plainHTTP, .plainHTTP, "does not speak TLS but plain HTTP, as for a ws URL"),
        (.alert(48), .alert, "gave up with alert 48 (unknown CA)"),
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

    @Test("P3: an alert has the name that its number has, and one without a name its number")
    func alerts() {
        let named: [UInt8] = [
            10, 20, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 71, 80, 90, 109, 112, 116,
        ]
        let words = (0...UInt8.max).map { "\(TLSFailure.alert($0))" }
        for (number, words) in words.enumerated() {
            #expect(words.hasPrefix("the peer gave up with alert \(number)"))
            #expect(words.hasSuffix(")") == named.contains(UInt8(number)))
        }
        #expect(Set(words).count == 256)
        #expect(words[40].hasSuffix("alert 40 (handshake failure)"))
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
