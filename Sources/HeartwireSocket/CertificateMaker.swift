#if canImport(COpenSSL)
    import COpenSSL
    import HeartwireSession

    /// Makes certificates (RFC 5280) with fresh P-256 keys, for endpoints of tests.
    struct CertificateMaker {
        /// What is issued: who signs, and for whom.
        struct Authority {
            let certificate: TLSCertificate
            let key: TLSKey
        }

        /// The subject's common name, which no check looks at.
        var commonName = "heartwire test"
        /// The subject alternative names in OpenSSL's words: `DNS:localhost`, `IP:127.0.0.1`.
        var names: [String] = []
        /// When it becomes valid, in seconds from now.
        var start = -3_600
        /// When it ceases to be valid, in seconds from now.
        var end = 30 * 86_400
        /// Whether it may sign others.
        var isAuthority = false

        /// Makes a key, and a certificate for it signed by `authority` or, without one, by itself.
        ///
        /// - Throws: `TLSFailure.configuration` when OpenSSL cannot.
        func make(signedBy authority: Authority? = nil) throws(TLSFailure) -> Authority {
            ERR_clear_error()
            defer { ERR_clear_error() }
            guard let keyPointer = heartwire_make_p256_key() else { throw Self.failure }
            let key = TLSKey(taking: keyPointer)
            guard let pointer = X509_new() else { throw Self.failure }
            let certificate = TLSCertificate(taking: pointer)
            let issuer = authority?.certificate.pointer ?? pointer
            X509_set_version(pointer, Int(X509_VERSION_3))
            X509_gmtime_adj(X509_getm_notBefore(pointer), start)
            X509_gmtime_adj(X509_getm_notAfter(pointer), end)
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(pointer), "CN", MBSTRING_UTF8, commonName, -1, -1, 0)
            guard setSerialNumber(of: pointer),
                X509_set_issuer_name(pointer, X509_get_subject_name(issuer)) == 1,
                X509_set_pubkey(pointer, key.pointer) == 1,
                addExtensions(to: pointer, issuer: issuer),
                X509_sign(pointer, (authority?.key ?? key).pointer, EVP_sha256()) > 0
            else { throw Self.failure }
            return Authority(certificate: certificate, key: key)
        }

        private static let failure = TLSFailure.configuration("OpenSSL cannot make a certificate")

        /// RFC 5280 §4.1.2.2: positive, and at most 20 bytes.
        private func setSerialNumber(of certificate: OpaquePointer) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return false }
            bytes[0] &= 0x7F
            guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
            defer { BN_free(number) }
            return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
        }

        private func addExtensions(to certificate: OpaquePointer, issuer: OpaquePointer) -> Bool {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
            var extensions = [
                (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
                (
                    NID_key_usage,
                    isAuthority ? "critical,keyCertSign,digitalSignature" : "digitalSignature"
                ),
                (NID_subject_key_identifier, "hash"),
            ]
            if issuer != certificate { extensions.append((NID_authority_key_identifier, "keyid")) }
            if !isAuthority { extensions.append((NID_ext_key_usage, "serverAuth,clientAuth")) }
            if !names.isEmpty {
                extensions.append((NID_subject_alt_name, names.joined(separator: ",")))
            }
            return extensions.allSatisfy { number, value in
                let made = X509V3_EXT_conf_nid(nil, &context, number, value)
                defer { X509_EXTENSION_free(made) }
                return made != nil && X509_add_ext(certificate, made, -1) == 1
            }
        }
    }

    extension CertificateMaker.Authority {
        /// The certificate and its key as PEM text.
        var identity: TLSIdentity {
            TLSIdentity(certificates: certificate.pem, privateKey: key.pem)
        }
    }
#endif
