#if canImport(COpenSSL)
    import COpenSSL
    import HeartwireSession

    /// What all connections of one configuration share. Not changed once it is made, so any thread may use it.
    final class TLSContext: @unchecked Sendable {
        let pointer: OpaquePointer
        /// What earlier connections left behind; the client's side only.
        let tickets = TLSTickets()
        private let pins: Set<PublicKeyPin>
        private let acceptsAnyCertificate: Bool
        private let isClient: Bool
        /// What the server's side does about ALPN.
        let alpn: TLSServerConfiguration.ALPN

        /// The client's side.
        ///
        /// - Throws: `TLSFailure.configuration`.
        init(_ configuration: TLSConfiguration) throws(TLSFailure) {
            pointer = try Self.make(TLS_client_method(), configuration.minimumVersion)
            pins = configuration.pins
            acceptsAnyCertificate = configuration.acceptsAnyCertificate
            isClient = true
            alpn = .standard
            SSL_CTX_set_verify(
                pointer, acceptsAnyCertificate ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
            if !acceptsAnyCertificate { try trust(configuration.trust) }
            if let identity = configuration.identity { try use(identity) }
            // Sessions are kept per peer in `tickets`, not in OpenSSL's own table.
            _ = heartwire_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
            // RFC 7301: a list of names, each with its length in front.
            let name = Array(Self.applicationProtocol.utf8)
            let protocols = [UInt8(name.count)] + name
            guard SSL_CTX_set_alpn_protos(pointer, protocols, UInt32(protocols.count)) == 0 else {
                throw .configuration("no memory for ALPN")
            }
        }

        /// The server's side.
        ///
        /// - Throws: `TLSFailure.configuration`.
        init(_ configuration: TLSServerConfiguration) throws(TLSFailure) {
            pointer = try Self.make(TLS_server_method(), configuration.minimumVersion)
            pins = []
            acceptsAnyCertificate = configuration.clientAuthorities == nil
            isClient = false
            alpn = configuration.alpn
            try use(configuration.identity)
            if let maximum = configuration.maximumVersion {
                _ = heartwire_set_max_version(pointer, maximum.number)
            }
            let name = Array("heartwire".utf8)
            SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
            if let authorities = configuration.clientAuthorities {
                SSL_CTX_set_verify(
                    pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
                try add(authorities)
            }
            SSL_CTX_set_alpn_select_cb(
                pointer,
                { _, chosen, count, offered, offeredCount, context in
                    guard let context, let chosen, let count else {
                        return SSL_TLSEXT_ERR_ALERT_FATAL
                    }
                    let this = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue()
                    return this.alpn.choose(chosen, count, offered, offeredCount)
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        deinit { SSL_CTX_free(pointer) }

        /// The one protocol that is spoken (RFC 7301).
        static let applicationProtocol = "http/1.1"

        private static func make(_ method: OpaquePointer?, _ minimum: TLSConfiguration.Version)
            throws(TLSFailure) -> OpaquePointer
        {
            ERR_clear_error()
            guard let pointer = SSL_CTX_new(method) else {
                throw .configuration("OpenSSL gives no context")
            }
            // The system's own settings may ask for more.
            if heartwire_min_version(pointer) < Int(minimum.number) {
                _ = heartwire_set_min_version(pointer, minimum.number)
            }
            SSL_CTX_set_options(
                pointer, heartwire_ssl_op_no_renegotiation | heartwire_ssl_op_no_compression)
            // An idle connection holds no record buffers.
            _ = heartwire_set_mode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
            return pointer
        }

        // MARK: What is set up

        private func trust(_ trust: TLSConfiguration.Trust) throws(TLSFailure) {
            switch trust {
            case .system: try trustSystem()
            case .certificates(let pem): try add(pem)
            case .systemAnd(let pem):
                try trustSystem()
                try add(pem)
            }
        }

        private func trustSystem() throws(TLSFailure) {
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .configuration("the system's authorities cannot be read")
            }
        }

        private func add(_ pem: String) throws(TLSFailure) {
            let store = SSL_CTX_get_cert_store(pointer)
            for certificate in try TLSCertificate.all(in: pem) {
                X509_STORE_add_cert(store, certificate.pointer)
            }
            // An authority in between is trusted as such: the word of who adds it counts.
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
            ERR_clear_error()
        }

        private func use(_ identity: TLSIdentity) throws(TLSFailure) {
            let chain = try TLSCertificate.all(in: identity.certificates)
            let key = try TLSKey(pem: identity.privateKey)
            guard let own = chain.first, SSL_CTX_use_certificate(pointer, own.pointer) == 1 else {
                throw .configuration("the certificate cannot be used")
            }
            for certificate in chain.dropFirst() {
                _ = heartwire_add1_chain_certificate(pointer, certificate.pointer)
            }
            guard SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1,
                SSL_CTX_check_private_key(pointer) == 1
            else {
                ERR_clear_error()
                throw .configuration("the private key is not that of the certificate")
            }
        }

        // MARK: One connection

        /// Tells a session whom its peer has to be.
        func expect(_ peer: TLSPeer, of ssl: OpaquePointer) throws(TLSFailure) {
            guard !peer.host.isEmpty else { throw .configuration("no host to check") }
            let parameters = SSL_get0_param(ssl)
            X509_VERIFY_PARAM_set_hostflags(
                parameters,
                UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            defer { ERR_clear_error() }
            // An address is no name: no SNI (RFC 6066 §3), and the certificate must list it as an address.
            if X509_VERIFY_PARAM_set1_ip_asc(parameters, peer.host) == 1 { return }
            guard X509_VERIFY_PARAM_set1_host(parameters, peer.host, 0) == 1,
                heartwire_set_server_name(ssl, peer.host) == 1
            else { throw .configuration("the host is no name that TLS can check") }
        }

        /// What OpenSSL does not look at: the protocol that was chosen, the time of a resumed session's
        /// certificate, and the pins.
        func check(_ ssl: OpaquePointer) throws(TLSFailure) {
            guard isClient else { return }
            try checkApplicationProtocol(ssl)
            let certificate = SSL_get0_peer_certificate(ssl)
            if SSL_session_reused(ssl) == 1, !acceptsAnyCertificate {
                guard X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
                    throw .expired
                }
            }
            guard !pins.isEmpty else { return }
            guard let certificate else { throw .pinMismatch }
            if isPinned(certificate) { return }
            // A chain that nobody checked can be padded with any key.
            guard !acceptsAnyCertificate, let chain = SSL_get0_verified_chain(ssl) else {
                throw .pinMismatch
            }
            for index in 0..<heartwire_certificate_count(chain) {
                if let certificate = heartwire_certificate_at(chain, index), isPinned(certificate) {
                    return
                }
            }
            throw .pinMismatch
        }

        private func checkApplicationProtocol(_ ssl: OpaquePointer) throws(TLSFailure) {
            var name: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            SSL_get0_alpn_selected(ssl, &name, &count)
            let chosen = UnsafeBufferPointer(start: name, count: Int(count))
            guard chosen.isEmpty || chosen.elementsEqual(Self.applicationProtocol.utf8) else {
                throw .applicationProtocol
            }
        }

        private func isPinned(_ certificate: OpaquePointer) -> Bool {
            TLSCertificate.pin(of: certificate).map { pins.contains($0) } ?? false
        }

        /// Whether sessions are resumed. Not with pins, so that the whole chain is there to be compared each time.
        var keepsTickets: Bool { isClient && pins.isEmpty }
    }

    extension TLSConfiguration.Version {
        fileprivate var number: Int32 {
            switch self {
            case .tls12: TLS1_2_VERSION
            case .tls13: TLS1_3_VERSION
            }
        }
    }
#endif
