#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    /// Authorities and certificates, made once for all tests.
    enum Certificates {
        static let authority = issue(
            CertificateMaker(commonName: "test authority", isAuthority: true))
        static let otherAuthority = issue(
            CertificateMaker(commonName: "another authority", isAuthority: true))

        /// Trusted, for `a.test` and the loopback addresses.
        static let good = signed(["DNS:a.test", "DNS:localhost", "IP:127.0.0.1", "IP:::1"])
        static let wildcard = signed(["DNS:*.local.test"])
        static let commonNameOnly = signed([], commonName: "a.test")
        static let expired = signed(["DNS:a.test", "IP:127.0.0.1"], start: -7_200, end: -1)
        static let early = signed(["DNS:a.test", "IP:127.0.0.1"], start: 7_200, end: 9_000)
        static let selfSigned = issue(
            CertificateMaker(names: ["DNS:a.test", "IP:127.0.0.1"])
        ).identity
        static let client = signed(["DNS:client.test"])

        static var authorityPEM: String { authority.certificate.pem }

        static func signed(
            _ names: [String], commonName: String = "server", start: Int = -3_600,
            end: Int = 86_400
        ) -> TLSIdentity {
            let maker = CertificateMaker(
                commonName: commonName, names: names, start: start, end: end)
            return issue(maker, by: authority).identity
        }

        static func issue(
            _ maker: CertificateMaker, by authority: CertificateMaker.Authority? = nil
        ) -> CertificateMaker.Authority {
            do {
                return try maker.make(signedBy: authority)
            } catch {
                fatalError("\(error)")
            }
        }
    }

    extension CertificateMaker.Authority: @unchecked Sendable {}

    extension TLSConfiguration {
        /// Trusts the tests' authority and nobody else.
        static var test: TLSConfiguration {
            var configuration = TLSConfiguration()
            configuration.trust = .certificates(pem: Certificates.authorityPEM)
            return configuration
        }

        static func test(
            _ change: (inout TLSConfiguration) throws -> Void
        ) rethrows -> TLSConfiguration {
            var configuration = TLSConfiguration.test
            try change(&configuration)
            return configuration
        }
    }

    extension TLSServerConfiguration {
        static func test(
            _ identity: TLSIdentity = Certificates.good,
            _ change: (inout TLSServerConfiguration) -> Void = { _ in }
        ) -> TLSServerConfiguration {
            var configuration = TLSServerConfiguration(identity)
            change(&configuration)
            return configuration
        }
    }

    /// A client's and a server's session, joined without a network.
    final class TLSPair {
        let client: TLSSession
        let server: TLSSession
        /// How many bytes are handed over at a time; 0 hands over all there are.
        var pieceSize = 0
        /// All ciphertext that either side sent.
        private(set) var fromClient: [UInt8] = []
        private(set) var fromServer: [UInt8] = []

        init(
            _ client: TLSContext, _ server: TLSContext, host: String = "a.test",
            ticket: TLSTicket? = nil
        ) throws {
            self.client = try TLSSession(
                client, peer: TLSPeer(host: host, port: 443), ticket: ticket)
            self.server = try TLSSession(accepting: server)
        }

        convenience init(
            _ client: TLSConfiguration = .test, _ server: TLSServerConfiguration = .test(),
            host: String = "a.test"
        ) throws {
            try self.init(TLSContext(client), TLSContext(server), host: host)
        }

        /// Shakes hands until both sides want nothing more, or one has failed.
        func shakeHands() -> (client: TLSSession.Step, server: TLSSession.Step) {
            var client = self.client.handshake()
            var server = TLSSession.Step.wantsInput
            for _ in 0..<20 where client == .wantsInput || server == .wantsInput {
                if server == .wantsInput {
                    server = carry(self.client, self.server) { self.server.handshake() } ?? server
                }
                if client == .wantsInput {
                    client = carry(self.server, self.client) { self.client.handshake() } ?? client
                }
            }
            return (client, server)
        }

        /// What `from` has to tell is given to `to`, and `step` looks at each piece.
        private func carry(
            _ from: TLSSession, _ to: TLSSession, _ step: () -> TLSSession.Step
        ) -> TLSSession.Step? {
            var last: TLSSession.Step?
            for piece in pieces(from) {
                last = piece.withUnsafeBytes { bytes in to.memory.lend(bytes, step) }
                if last != .wantsInput { break }
            }
            return last
        }

        private func pieces(_ from: TLSSession) -> [[UInt8]] {
            let bytes = from.memory.outgoing.withUnsafeBytes { Array($0) }
            // What is not handed over in this round stays.
            from.memory.outgoing.drop(bytes.count)
            if from === client { fromClient += bytes } else { fromServer += bytes }
            guard pieceSize > 0 else { return bytes.isEmpty ? [] : [bytes] }
            return stride(from: 0, to: bytes.count, by: pieceSize).map {
                Array(bytes[$0..<min($0 + pieceSize, bytes.count)])
            }
        }

        /// Gives `to` all that `from` has to tell, and all that `to` reads of it.
        func deliver(_ from: TLSSession, to: TLSSession) -> (
            bytes: [UInt8], end: TLSSession.Plaintext
        ) {
            var plaintext: [UInt8] = []
            var end = TLSSession.Plaintext.wantsInput
            func readAll() {
                var buffer = [UInt8](repeating: 0, count: 20_000)
                while true {
                    end = buffer.withUnsafeMutableBytes { to.read(into: $0) }
                    guard case .bytes(let count) = end else { return }
                    plaintext += buffer[..<count]
                }
            }
            for piece in pieces(from) {
                piece.withUnsafeBytes { bytes in to.memory.lend(bytes, readAll) }
            }
            return (plaintext, end)
        }
    }

    extension TLSSession {
        func write(_ bytes: [UInt8]) throws(TLSFailure) {
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(TLSFailure) in try write(buffer) }
            }
            try result.get()
        }
    }
#endif
