#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    @Suite("TLS without sockets")
    struct TLSSessionTests {
        @Test(
            "P3: both sides shake hands, however the bytes are cut", arguments: [0, 1, 2, 7, 100])
        func handshake(pieceSize: Int) throws {
            let pair = try TLSPair()
            pair.pieceSize = pieceSize
            let ends = pair.shakeHands()
            #expect(ends.client == .done)
            #expect(ends.server == .done)
            #expect(pair.client.version == "TLSv1.3")
            #expect(!pair.client.isResumed)
        }

        @Test("P3: what is written on one side is read on the other", arguments: [0, 1, 1_000])
        func data(pieceSize: Int) throws {
            let pair = try TLSPair()
            _ = pair.shakeHands()
            pair.pieceSize = pieceSize
            let request = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try pair.client.write(request)
            #expect(pair.deliver(pair.client, to: pair.server).bytes == request)
            try pair.server.write(Array("answer".utf8))
            let answer = pair.deliver(pair.server, to: pair.client)
            #expect(answer.bytes == Array("answer".utf8))
            #expect(answer.end == .wantsInput)
            #expect(pair.client.memory.outgoing.isEmpty)
        }

        @Test("RFC 8446 6.1: close_notify ends one direction and is read as the end")
        func closing() throws {
            let pair = try TLSPair()
            _ = pair.shakeHands()
            try pair.client.write(Array("last".utf8))
            pair.client.close()
            pair.client.close()
            let end = pair.deliver(pair.client, to: pair.server)
            #expect(end.bytes == Array("last".utf8))
            #expect(end.end == .closed)
            #expect(pair.server.hasReceivedClose)
            #expect(throws: TLSFailure.self) { try pair.client.write([1]) }
            try pair.server.write(Array("still here".utf8))
            #expect(pair.deliver(pair.server, to: pair.client).bytes == Array("still here".utf8))
        }

        @Test("K08-01: untrusted, wrong name and out of time are told apart")
        func certificates() throws {
            let other = TLSConfiguration.test {
                $0.trust = .certificates(pem: Certificates.otherAuthority.certificate.pem)
            }
            #expect(try failure(server: .test(Certificates.selfSigned)).kind == .untrusted)
            #expect(try failure(other).kind == .untrusted)
            #expect(try failure(TLSConfiguration()).kind == .untrusted)
            #expect(try failure(host: "other.test") == .nameMismatch)
            #expect(try failure(server: .test(Certificates.expired)) == .expired)
            #expect(try failure(server: .test(Certificates.early)) == .notYetValid)
        }

        @Test(
            "K08-02: the host of the URL is what the certificate must name",
            arguments: [
                ("a.local.test", true), ("b.local.test", true), ("local.test", false),
                ("a.b.local.test", false), ("a.local.test.evil.test", false),
            ])
        func wildcard(host: String, isGood: Bool) throws {
            let pair = try TLSPair(.test, .test(Certificates.wildcard), host: host)
            #expect(pair.shakeHands().client == (isGood ? .done : .failed(.nameMismatch)))
        }

        @Test(
            "K08-02: an address must be listed as an address, and a common name counts for nothing",
            arguments: [
                ("127.0.0.1", Certificates.good, true), ("::1", Certificates.good, true),
                ("127.0.0.2", Certificates.good, false), ("::2", Certificates.good, false),
                ("a.test", Certificates.commonNameOnly, false),
                ("127.0.0.1", Certificates.signed(["DNS:127.0.0.1"]), false),
                ("127.0.0.1", Certificates.signed([], commonName: "127.0.0.1"), false),
                ("A.TEST", Certificates.good, true), ("a.test.", Certificates.good, false),
            ])
        func addresses(host: String, identity: TLSIdentity, isGood: Bool) throws {
            let pair = try TLSPair(.test, .test(identity), host: host)
            #expect(pair.shakeHands().client == (isGood ? .done : .failed(.nameMismatch)))
        }

        @Test("RFC 6066 3: a name is told to the server, an address is not")
        func serverName() throws {
            for (host, isTold) in [("localhost", true), ("127.0.0.1", false)] {
                let pair = try TLSPair(host: host)
                #expect(pair.shakeHands().client == .done)
                #expect(contains(pair.fromClient, Array(host.utf8)) == isTold)
            }
        }

        @Test("K08-04: http/1.1 alone is offered; a server that knows no ALPN or takes it is fine")
        func applicationProtocol() throws {
            for alpn in [TLSServerConfiguration.ALPN.standard, .ignore] {
                let pair = try TLSPair(.test, .test { $0.alpn = alpn })
                #expect(pair.shakeHands().client == .done)
                #expect(contains(pair.fromClient, [9, 8] + Array("http/1.1".utf8)))
                #expect(!contains(pair.fromClient, Array("h2".utf8)))
            }
        }

        @Test("K08-04: a server that chooses h2 or gives up over ALPN is refused with that reason")
        func otherProtocol() throws {
            #expect(try failure(server: .test { $0.alpn = .forceH2 }) == .applicationProtocol)
            #expect(try failure(server: .test { $0.alpn = .refuse }) == .applicationProtocol)
        }

        @Test("P3: a common version is needed, and nothing before TLS 1.2 is spoken")
        func versions() throws {
            let old = try TLSPair(.test, .test { $0.maximumVersion = .tls12 })
            #expect(old.shakeHands().client == .done)
            #expect(old.client.version == "TLSv1.2")
            let strict = TLSConfiguration.test { $0.minimumVersion = .tls13 }
            #expect(try failure(strict, server: .test { $0.maximumVersion = .tls12 }) == .version)
        }

        @Test("P3: what does not speak TLS is told from a broken TLS, and plain HTTP by its name")
        func notTLS() throws {
            for (answer, failure) in [
                ("HTTP/1.1 400 Bad Request\r\n\r\n", .plainHTTP),
                ("SSH-2.0-OpenSSH_9\r\n", .notTLS),
                ("220 mail.test ESMTP\r\n", .notTLS), ("J\0\0\0\n8.0.36\0", .notTLS),
                ("\r\n\r\n\r\n", .notTLS),
            ] as [(String, TLSFailure)] {
                // Whole, and byte by byte.
                for size in [100, 1] {
                    let pair = try TLSPair()
                    #expect(pair.client.handshake() == .wantsInput)
                    #expect(feed(pair.client, Array(answer.utf8), by: size) == .failed(failure))
                    // Used after the failure, it fails again and nothing else.
                    #expect(pair.client.handshake() != .done)
                    var buffer = [UInt8](repeating: 0, count: 10)
                    let read = buffer.withUnsafeMutableBytes { pair.client.read(into: $0) }
                    guard case .failed = read else {
                        Issue.record("read from a broken session")
                        return
                    }
                    #expect(throws: TLSFailure.self) { try pair.client.write([1]) }
                    #expect(pair.client.ticket() == nil)
                }
            }
        }

        @Test(
            "P3, R3: what breaks into an open stream is not told as a server without TLS, and is tried again",
            arguments: ["HTTP/1.1 408 Request Timeout\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n"])
        func plainInOpenStream(text: String) throws {
            let pair = try TLSPair()
            _ = pair.shakeHands()
            _ = pair.deliver(pair.server, to: pair.client)
            var buffer = [UInt8](repeating: 0, count: 100)
            let read = Array(text.utf8).withUnsafeBytes { bytes in
                pair.client.memory.lend(bytes) {
                    buffer.withUnsafeMutableBytes { pair.client.read(into: $0) }
                }
            }
            #expect(read == .failed(.broken("what came is no record")))
            #expect(VerdictTable()[.tls(.broken)] == .retry)
        }

        @Test("P3: an alert for an answer is told with its number and its name")
        func alert() throws {
            for (number, failure) in [
                (40, .alert(40)), (112, .alert(112)), (70, .version), (120, .applicationProtocol),
            ] as [(UInt8, TLSFailure)] {
                let pair = try TLSPair()
                #expect(pair.client.handshake() == .wantsInput)
                let record: [UInt8] = [0x15, 3, 3, 0, 2, 2, number]
                #expect(feed(pair.client, record, by: 1) == .failed(failure))
            }
            #expect("\(TLSFailure.alert(40))".hasSuffix("alert 40 (handshake failure)"))
        }

        @Test("P3: close_notify for an answer ends the handshake, and is told as that")
        func closedWithinHandshake() throws {
            let pair = try TLSPair()
            #expect(pair.client.handshake() == .wantsInput)
            #expect(
                feed(pair.client, [0x15, 3, 3, 0, 2, 1, 0], by: 7)
                    == .failed(.broken("it ended TLS within the handshake")))
            #expect(pair.client.handshake() == .failed(.broken("used after a failure")))
        }

        /// What the handshake comes to when so many bytes arrive at a time.
        private func feed(_ session: TLSSession, _ bytes: [UInt8], by size: Int) -> TLSSession.Step
        {
            var rest = bytes[...]
            while !rest.isEmpty {
                let step = Array(rest.prefix(size)).withUnsafeBytes { piece in
                    session.memory.lend(piece) { session.handshake() }
                }
                guard step == .wantsInput else { return step }
                rest = rest.dropFirst(size)
            }
            return .wantsInput
        }

        @Test("RFC 8446 5.2: a record that was changed on the way breaks the session")
        func tampered() throws {
            let pair = try TLSPair()
            _ = pair.shakeHands()
            _ = pair.deliver(pair.server, to: pair.client)
            try pair.server.write(Array("secret".utf8))
            var bytes = pair.server.memory.outgoing.withUnsafeBytes { Array($0) }
            bytes[bytes.count - 1] ^= 1
            var buffer = [UInt8](repeating: 0, count: 100)
            let read = bytes.withUnsafeBytes { bytes in
                pair.client.memory.lend(bytes) {
                    buffer.withUnsafeMutableBytes { pair.client.read(into: $0) }
                }
            }
            guard case .failed(.broken) = read else {
                Issue.record("\(read)")
                return
            }
            #expect(!pair.client.memory.outgoing.isEmpty, "the alert for the peer")
        }

        @Test("P3: dangerouslyAcceptAnyCertificate() takes what nothing else takes")
        func anyCertificate() throws {
            let open = TLSConfiguration.test { $0.dangerouslyAcceptAnyCertificate() }
            for identity in [Certificates.selfSigned, Certificates.expired] {
                let pair = try TLSPair(open, .test(identity), host: "elsewhere.test")
                #expect(pair.shakeHands().client == .done)
            }
        }

        private func failure(
            _ client: TLSConfiguration = .test, server: TLSServerConfiguration = .test(),
            host: String = "a.test"
        ) throws -> TLSFailure {
            let pair = try TLSPair(client, server, host: host)
            guard case .failed(let failure) = pair.shakeHands().client else {
                Issue.record("the handshake did not fail")
                return .unavailable
            }
            return failure
        }
    }

    /// Whether `part` stands in `bytes`.
    func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains {
            bytes[$0..<($0 + part.count)].elementsEqual(part)
        }
    }
#endif
