#if canImport(COpenSSL)
    import COpenSSL
    import HeartwireSession

    extension TLSFailure {
        /// The failure that OpenSSL's error queue of this thread tells of; the queue is empty afterwards.
        ///
        /// - Parameter verification: What came of the check of the certificate, where there was one.
        static func taken(verification: Int) -> TLSFailure {
            var failure: TLSFailure?
            var place: UnsafePointer<CChar>?
            while case let code = ERR_get_error_all(nil, nil, &place, nil, nil), code != 0 {
                // What OpenSSL's TLS says counts more than what the floors below it said before.
                guard failure == nil || ERR_GET_LIB(code) == ERR_LIB_SSL else { continue }
                // A protocol that was not offered is to OpenSSL an extension like any other that is wrong.
                let isALPN = place.map { String(cString: $0).contains("alpn") } ?? false
                failure =
                    isALPN
                    ? .applicationProtocol : TLSFailure(code: code, verification: verification)
            }
            return failure ?? .broken("no error given")
        }

        private init(code: UInt, verification: Int) {
            guard ERR_GET_LIB(code) == ERR_LIB_SSL else {
                self = .broken(Self.words(code))
                return
            }
            switch ERR_GET_REASON(code) {
            case SSL_R_CERTIFICATE_VERIFY_FAILED: self = Self.certificate(verification)
            case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
                self = .notTLS
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_VERSION_TOO_LOW,
                SSL_R_VERSION_TOO_HIGH, SSL_R_WRONG_SSL_VERSION:
                self = .version
            case SSL_R_NO_APPLICATION_PROTOCOL: self = .applicationProtocol
            case let reason where reason >= SSL_AD_REASON_OFFSET:
                self = Self.alert(reason - SSL_AD_REASON_OFFSET)
            default: self = .broken(Self.words(code))
            }
        }

        private static func alert(_ number: Int32) -> TLSFailure {
            switch number {
            case SSL_AD_PROTOCOL_VERSION: .version
            case SSL_AD_NO_APPLICATION_PROTOCOL: .applicationProtocol
            default: .alert(UInt8(truncatingIfNeeded: number))
            }
        }

        private static func certificate(_ verification: Int) -> TLSFailure {
            switch Int32(clamping: verification) {
            case X509_V_ERR_CERT_HAS_EXPIRED: return .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: return .notYetValid
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                return .nameMismatch
            default:
                let words = X509_verify_cert_error_string(verification)
                return .untrusted(words.map { String(cString: $0) } ?? "error \(verification)")
            }
        }

        /// OpenSSL's own words, which hold nothing of the peer's.
        private static func words(_ code: UInt) -> String {
            ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }
#endif
