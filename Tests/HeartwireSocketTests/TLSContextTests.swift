#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    @Suite("What all connections of a TLS configuration share")
    struct TLSContextTests {
        private static let good = Certificates.good
        private static var goodPin: PublicKeyPin? { try? good.fingerprint().pin }
        private static var authorityPin: PublicKeyPin? {
            try? Certificates.authority.identity.fingerprint().pin
        }

        @Test(
            "P3: what is no certificate, no key or the wrong key is refused with words that hold none of it"
        )
        func unusable() throws {
            let good = Self.good
            let other = Certificates.selfSigned
            let broken = good.certificates.replacingMiddle()
            let configurations: [TLSConfiguration] = [
                .test { $0.trust = .certificates(pem: "") },
                .test { $0.trust = .certificates(pem: "no certificate") },
                .test { $0.trust = .systemAnd(pem: broken) },
                .test { $0.identity = TLSIdentity(certificates: "", privateKey: good.privateKey) },
                .test {
                    $0.identity = TLSIdentity(certificates: good.certificates, privateKey: "")
                },
                .test {
                    $0.identity = TLSIdentity(
                        certificates: good.certificates, privateKey: other.privateKey)
                },
                .test {
                    $0.identity = TLSIdentity(
                        certificates: good.certificates, privateKey: encryptedKey)
                },
            ]
            for configuration in configurations {
                #expect {
                    try configuration.validate()
                } throws: { error in
                    guard case TLSFailure.configuration(let words) = error else { return false }
                    return !words.isEmpty && !words.contains("BEGIN")
                }
            }
            #expect(throws: TLSFailure.self) {
                try TLSContext(
                    TLSServerConfiguration(TLSIdentity(certificates: "", privateKey: "")))
            }
        }

        @Test("P3: the default, and the system's authorities with one's own, can be used")
        func usable() throws {
            try TLSConfiguration().validate()
            let both = TLSConfiguration.test {
                $0.trust = .systemAnd(pem: Certificates.authorityPEM)
                $0.identity = Certificates.client
            }
            try both.validate()
            let pair = try TLSPair(both)
            #expect(pair.shakeHands().client == .done)
        }

        @Test("P3: an authority may stand in OpenSSL's form of a trusted certificate")
        func trustedForm() throws {
            let pem = Certificates.authorityPEM
                .replacing("BEGIN CERTIFICATE", with: "BEGIN TRUSTED CERTIFICATE")
                .replacing("END CERTIFICATE", with: "END TRUSTED CERTIFICATE")
            let pair = try TLSPair(.test { $0.trust = .certificates(pem: pem) })
            #expect(pair.shakeHands().client == .done)
        }

        @Test("P3: a pinned key of the server or of its authority is accepted, any other is not")
        func pins() throws {
            let own = try #require(Self.goodPin)
            let authority = try #require(Self.authorityPin)
            let stranger = try Certificates.selfSigned.fingerprint().pin
            for (pins, isGood) in [
                ([own], true), ([authority], true), ([stranger, own], true), ([stranger], false),
            ] as [(Set<PublicKeyPin>, Bool)] {
                let pair = try TLSPair(.test { $0.pins = pins })
                #expect(pair.shakeHands().client == (isGood ? .done : .failed(.pinMismatch)))
            }
        }

        @Test("P3: where no chain is checked, only the server's own key counts as pinned")
        func pinsWithoutChecks() throws {
            let own = try #require(Self.goodPin)
            let authority = try #require(Self.authorityPin)
            let chain = TLSIdentity(
                certificates: Self.good.certificates + Certificates.authorityPEM,
                privateKey: Self.good.privateKey)
            for (pin, isGood) in [(own, true), (authority, false)] {
                let open = TLSConfiguration.test {
                    $0.dangerouslyAcceptAnyCertificate()
                    $0.pins = [pin]
                }
                let pair = try TLSPair(open, .test(chain))
                #expect(pair.shakeHands().client == (isGood ? .done : .failed(.pinMismatch)))
            }
        }

        @Test(
            "P3: a client shows its certificate, and one without is turned away",
            arguments: [
                TLSConfiguration.Version.tls12, .tls13,
            ])
        func clientCertificates(version: TLSConfiguration.Version) throws {
            let server = TLSServerConfiguration.test {
                $0.clientAuthorities = Certificates.authorityPEM
                $0.maximumVersion = version
            }
            let shown = try TLSPair(.test { $0.identity = Certificates.client }, server)
            #expect(shown.shakeHands() == (.done, .done))
            #expect(shown.server.hasPeerCertificate)
            let missing = try TLSPair(.test, server)
            let ends = missing.shakeHands()
            guard case .failed = ends.server else {
                Issue.record("the server took a client without a certificate")
                return
            }
            // In TLS 1.3 the client has done its part before the server has looked.
            let alert: TLSFailure
            if case .failed(let failure) = ends.client {
                alert = failure
            } else if case .failed(let failure) =
                missing.deliver(missing.server, to: missing.client).end
            {
                alert = failure
            } else {
                Issue.record("the client heard nothing")
                return
            }
            #expect(alert.kind == .alert)
        }

        @Test(
            "P3: a second connection to the same peer resumes the session",
            arguments: [
                TLSConfiguration.Version.tls12, .tls13,
            ])
        func resumption(version: TLSConfiguration.Version) throws {
            let client = try TLSContext(TLSConfiguration.test)
            let server = try TLSContext(.test { $0.maximumVersion = version })
            var ticket: TLSTicket?
            for isResumed in [false, true, true] {
                let pair = try TLSPair(client, server, ticket: ticket)
                #expect(pair.shakeHands() == (.done, .done))
                #expect(pair.client.isResumed == isResumed)
                _ = pair.deliver(pair.server, to: pair.client)
                ticket = pair.client.ticket()
                #expect(ticket != nil)
            }
            #expect(client.keepsTickets)
            let pinned = try TLSContext(.test { $0.pins = [try #require(Self.goodPin)] })
            #expect(!pinned.keepsTickets)
        }

        @Test(
            "P3: a host that no certificate can name is not connected to", arguments: ["", "a\0b"])
        func impossibleHosts(host: String) throws {
            let context = try TLSContext(TLSConfiguration.test)
            do throws(TLSFailure) {
                let session = try TLSSession(context, peer: TLSPeer(host: host, port: 443))
                // A name that is cut at NUL must not be checked in the shorter form.
                #expect(host != "" && session.handshake() == .wantsInput)
            } catch {
                #expect(error.kind == .configuration)
            }
        }
    }

    extension String {
        /// This text with something foreign in its middle.
        fileprivate func replacingMiddle() -> String {
            let middle = index(startIndex, offsetBy: count / 2)
            return String(self[..<middle]) + "!!!!" + String(self[middle...].dropFirst(4))
        }
    }

    /// A key behind a passphrase.
    private let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhG/2+w3BJrAwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEGinIf34dphX8IZGCTiiLngEgZBs
        NR/7Co0nMPZ8GfFSIzdhYDnwZs7v46Xf0Bv7yLCcvw/3LYKK3x67DJOJVANUQ50M
        r4syMiGbUYapmVzcjohAbCTIfbOLb1M6jqGWGw7KhOCDJUxVvuFtXhbJOfg0gxMb
        xbQpgDCWs1JM8kPcCamEfS22vq6Od7SCPgS/vMaG3wSK7eZHCRh92B73ea6HI4A=
        -----END ENCRYPTED PRIVATE KEY-----
        """
#endif
