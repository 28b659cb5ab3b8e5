#if canImport(COpenSSL)
    import COpenSSL
    import HeartwireSession

    /// One TLS connection without a socket: ciphertext is fed and taken, plaintext is written and read.
    ///
    /// Theory of operation. `receive` lends what the network brought; while it does, `handshake` or `read`
    /// is called until it wants more input. Whatever either side of that, and `write` and `close`, wants to tell
    /// the peer collects in `memory.outgoing`. After a failure only `memory.outgoing` is of use: it may hold the alert.
    final class TLSSession {
        /// What a step of the handshake came to.
        enum Step: Equatable {
            case done
            case wantsInput
            case failed(TLSFailure)
        }

        /// What one read gave.
        enum Plaintext: Equatable {
            case bytes(Int)
            case wantsInput
            /// The peer's `close_notify`: nothing more will come.
            case closed
            case failed(TLSFailure)
        }

        /// The most plaintext of one record (RFC 8446 §5.1).
        static let recordBytes = 16 << 10
        /// What a record of TLS 1.3 holds beside the plaintext: its header, the type within and the tag (§5.2).
        private static let recordOverhead = 22

        let memory = TLSMemory()
        private let context: TLSContext
        private let ssl: OpaquePointer
        private var isUp = false
        private var isBroken = false
        /// Whether `close_notify` was sent: nothing more can be.
        private(set) var isClosed = false

        /// The client's side of a connection to `peer`.
        convenience init(_ context: TLSContext, peer: TLSPeer, ticket: TLSTicket? = nil)
            throws(TLSFailure)
        {
            try self.init(context)
            SSL_set_connect_state(ssl)
            try context.expect(peer, of: ssl)
            if let ticket { SSL_set_session(ssl, ticket.session) }
        }

        /// The server's side of a connection.
        convenience init(accepting context: TLSContext) throws(TLSFailure) {
            try self.init(context)
            SSL_set_accept_state(ssl)
        }

        private init(_ context: TLSContext) throws(TLSFailure) {
            guard let ssl = SSL_new(context.pointer) else {
                throw .configuration("no memory for a session")
            }
            guard let bio = memory.makeBIO() else {
                SSL_free(ssl)
                throw .configuration("no memory for a session")
            }
            SSL_set_bio(ssl, bio, bio)
            self.ssl = ssl
            self.context = context
        }

        deinit {
            // Without this OpenSSL would take the session for unfit to be resumed (RFC 5246 §7.2.1 lifts that).
            if !isBroken { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
            SSL_free(ssl)
        }

        /// Whether the peer has said that nothing more will come.
        var hasReceivedClose: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }
        /// Whether an earlier session was resumed.
        var isResumed: Bool { SSL_session_reused(ssl) == 1 }
        /// What was spoken, such as `TLSv1.3`.
        var version: String { SSL_get_version(ssl).map { String(cString: $0) } ?? "" }
        /// What the peer showed, where it showed something.
        var hasPeerCertificate: Bool { SSL_get0_peer_certificate(ssl) != nil }

        /// Goes on with the handshake as far as the input reaches. Done means: also the pins were compared.
        func handshake() -> Step {
            guard !isBroken else { return .failed(.broken("used after a failure")) }
            ERR_clear_error()
            let result = SSL_do_handshake(ssl)
            guard result == 1 else {
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ: return .wantsInput
                case SSL_ERROR_ZERO_RETURN:
                    isBroken = true
                    return .failed(.broken("it ended TLS within the handshake"))
                default: return .failed(broke())
                }
            }
            do throws(TLSFailure) {
                try context.check(ssl)
            } catch {
                // The server has done its part, and is told that nothing will come.
                SSL_shutdown(ssl)
                ERR_clear_error()
                return .failed(error)
            }
            isUp = true
            return .done
        }

        /// Decrypts into `target` at most one record.
        func read(into target: UnsafeMutableRawBufferPointer) -> Plaintext {
            guard !isBroken else { return .failed(.broken("used after a failure")) }
            ERR_clear_error()
            let result = SSL_read(ssl, target.baseAddress, Int32(clamping: target.count))
            guard result <= 0 else { return .bytes(Int(result)) }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return .wantsInput
            case SSL_ERROR_ZERO_RETURN: return .closed
            default: return .failed(broke())
            }
        }

        /// Decrypts into `target` until it holds `enough` or no more comes.
        ///
        /// - Parameter outcome: what the last read gave.
        /// - Returns: how many bytes `target` holds.
        func read(
            atLeast enough: Int, into target: UnsafeMutableRawBufferPointer,
            _ outcome: inout Plaintext
        ) -> Int {
            var count = 0
            while count < enough {
                outcome = read(into: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
                guard case .bytes(let read) = outcome else { break }
                count += read
            }
            return count
        }

        /// Encrypts all of `bytes`, in records of at most 16 KiB.
        func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
            guard !isBroken, !isClosed else { throw .broken("used after the end") }
            let records = (bytes.count + Self.recordBytes - 1) / Self.recordBytes
            memory.outgoing.reserve(bytes.count + records * Self.recordOverhead)
            var left = bytes
            while !left.isEmpty {
                ERR_clear_error()
                let result = SSL_write(ssl, left.baseAddress, Int32(clamping: left.count))
                guard result > 0 else { throw broke() }
                left = UnsafeRawBufferPointer(rebasing: left.dropFirst(Int(result)))
            }
        }

        /// Says with `close_notify` that nothing more will come from here.
        func close() {
            guard isUp, !isBroken, !isClosed else { return }
            isClosed = true
            ERR_clear_error()
            SSL_shutdown(ssl)
            ERR_clear_error()
        }

        /// What a later connection to the same peer can resume this session with.
        func ticket() -> TLSTicket? {
            guard isUp, !isBroken, let session = SSL_get1_session(ssl) else { return nil }
            let ticket = TLSTicket(taking: session)
            return SSL_SESSION_is_resumable(session) == 1 ? ticket : nil
        }

        /// OpenSSL wants a session never to be touched again after a fatal error.
        private func broke() -> TLSFailure {
            isBroken = true
            let failure = TLSFailure.taken(verification: SSL_get_verify_result(ssl))
            guard failure == .notTLS else { return failure }
            // Who has shaken hands speaks TLS. What follows is of somebody on the way, or damaged: no reason to give up.
            if isUp { return .broken("what came is no record") }
            return memory.beganWithHTTP ? .plainHTTP : failure
        }
    }
#endif
