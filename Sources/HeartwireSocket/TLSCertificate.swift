#if canImport(COpenSSL)
    import COpenSSL
    import HeartwireSession

    /// A certificate (RFC 5280) that OpenSSL holds for us.
    final class TLSCertificate {
        let pointer: OpaquePointer

        /// Takes over one reference.
        init(taking pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit { X509_free(pointer) }

        /// The certificates in a PEM text (RFC 7468), in order, also OpenSSL's trusted ones; other blocks are passed over.
        ///
        /// - Throws: `TLSFailure.configuration` when there is none, or one that cannot be read.
        static func all(in pem: String) throws(TLSFailure) -> [TLSCertificate] {
            let certificates = withPEM(pem) { bio in
                var certificates: [TLSCertificate] = []
                while let pointer = PEM_read_bio_X509_AUX(bio, nil, refusePassphrase, nil) {
                    certificates.append(TLSCertificate(taking: pointer))
                }
                return certificates
            }
            // The end of the text is told as the error that there is no further block.
            let error = ERR_peek_last_error()
            ERR_clear_error()
            guard ERR_GET_LIB(error) == ERR_LIB_PEM, ERR_GET_REASON(error) == PEM_R_NO_START_LINE
            else { throw .configuration("a certificate cannot be read") }
            guard !certificates.isEmpty else {
                throw .configuration("there is no certificate in PEM")
            }
            return certificates
        }

        /// The certificate as PEM text.
        var pem: String {
            text { PEM_write_bio_X509($0, pointer) }
        }

        /// The hash of a certificate's public key (RFC 7469 §2.4).
        static func pin(of certificate: OpaquePointer) -> PublicKeyPin? {
            let key = X509_get_X509_PUBKEY(certificate)
            let count = i2d_X509_PUBKEY(key, nil)
            guard count > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: Int(count))
            bytes.withUnsafeMutableBufferPointer {
                var end = $0.baseAddress
                _ = i2d_X509_PUBKEY(key, &end)
            }
            return PublicKeyPin(sha256: sha256(bytes))
        }

        /// The SHA-256 hash of the whole certificate, as browsers show it.
        var fingerprint: [UInt8] {
            var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            X509_digest(pointer, EVP_sha256(), &hash, nil)
            return hash
        }

        private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
            var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            SHA256(bytes, bytes.count, &hash)
            return hash
        }
    }

    /// A private key that OpenSSL holds for us.
    final class TLSKey {
        let pointer: OpaquePointer

        /// Takes over one reference.
        init(taking pointer: OpaquePointer) {
            self.pointer = pointer
        }

        /// Reads the first private key of a PEM text (RFC 7468).
        ///
        /// - Throws: `TLSFailure.configuration` when there is none, or a passphrase would be needed.
        init(pem: String) throws(TLSFailure) {
            let pointer = withPEM(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
            ERR_clear_error()
            guard let pointer else {
                throw .configuration(
                    pem.contains("ENCRYPTED")
                        ? "the private key has a passphrase" : "there is no private key in PEM")
            }
            self.pointer = pointer
        }

        deinit { EVP_PKEY_free(pointer) }

        /// The key as PEM text.
        var pem: String {
            text { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
        }
    }

    /// Without it OpenSSL would ask on the terminal.
    private func refusePassphrase(
        _ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32, _ isWriting: Int32,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 { -1 }

    private func withPEM<R>(_ pem: String, _ body: (OpaquePointer?) -> R) -> R {
        ERR_clear_error()
        var pem = pem
        return pem.withUTF8 { text in
            let bio = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    private func text(_ write: (OpaquePointer?) -> Int32) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return "" }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = heartwire_mem_data(bio, &bytes)
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
#endif
