#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    @Suite("Certificates of endpoints")
    struct CertificateMakerTests {
        @Test("A1: a self-made certificate is good for the loopback names once it is trusted")
        func selfMade() throws {
            let identity = try TLSIdentity.selfMade()
            for host in ["localhost", "127.0.0.1", "::1"] {
                let trusting = TLSConfiguration.test {
                    $0.trust = .certificates(pem: identity.certificates)
                }
                let pair = try TLSPair(trusting, .test(identity), host: host)
                #expect(pair.shakeHands() == (.done, .done))
            }
            let stranger = try TLSPair(.test, .test(identity), host: "localhost")
            guard case .failed(.untrusted) = stranger.shakeHands().client else {
                Issue.record("a self-made certificate is trusted by nobody")
                return
            }
            #expect(try TLSIdentity.selfMade() != identity)
        }

        @Test(
            "P3: a certificate that is signed by no authority but by another server's is not trusted"
        )
        func noAuthority() throws {
            let server = Certificates.issue(
                CertificateMaker(names: ["DNS:a.test"]), by: Certificates.authority)
            let child = try CertificateMaker(names: ["DNS:a.test"]).make(signedBy: server)
            let identity = TLSIdentity(
                certificates: child.certificate.pem + server.certificate.pem,
                privateKey: child.key.pem)
            let pair = try TLSPair(.test, .test(identity))
            guard case .failed(.untrusted) = pair.shakeHands().client else {
                Issue.record("basic constraints were not looked at")
                return
            }
        }

        @Test("P3: an authority in between is found in what the server shows")
        func intermediate() throws {
            let between = try CertificateMaker(commonName: "between", isAuthority: true)
                .make(signedBy: Certificates.authority)
            let child = try CertificateMaker(names: ["DNS:a.test"]).make(signedBy: between)
            let whole = TLSIdentity(
                certificates: child.certificate.pem + between.certificate.pem,
                privateKey: child.key.pem)
            #expect(try TLSPair(.test, .test(whole)).shakeHands().client == .done)
            let cut = TLSIdentity(
                certificates: child.certificate.pem, privateKey: child.key.pem)
            guard case .failed(.untrusted) = try TLSPair(.test, .test(cut)).shakeHands().client
            else {
                Issue.record("a chain with a gap is trusted")
                return
            }
            // Who adds the authority in between trusts it.
            let trusting = TLSConfiguration.test {
                $0.trust = .certificates(pem: between.certificate.pem)
            }
            #expect(try TLSPair(trusting, .test(cut)).shakeHands().client == .done)
        }

        @Test("What cannot be a name is refused")
        func badNames() {
            #expect(throws: TLSFailure.self) {
                try CertificateMaker(names: ["IP:not an address"]).make()
            }
        }

        @Test("The fingerprint is that of the first certificate, and the pin that of its key")
        func fingerprint() throws {
            let identity = Certificates.good
            let print = try identity.fingerprint()
            #expect(print.certificate.count == 32)
            let twice = TLSIdentity(
                certificates: identity.certificates + Certificates.authorityPEM,
                privateKey: identity.privateKey)
            #expect(try twice.fingerprint() == print)
            #expect(try Certificates.authority.identity.fingerprint() != print)
            #expect(throws: TLSFailure.self) {
                try TLSIdentity(certificates: "", privateKey: "").fingerprint()
            }
        }
    }
#endif
