#if canImport(Security)
    import CryptoKit
    import Foundation
    import HeartwireProtocol
    import HeartwireSession
    import Security

    // What Foundation asks about the server's certificates and about a proxy's credentials. What there is to decide
    // is decided in CertificateKey, which is tested everywhere.
    extension FoundationDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (
                    URLSession.AuthChallengeDisposition, URLCredential?
                ) -> Void
        ) {
            let space = challenge.protectionSpace
            if space.isProxy(), challenge.previousFailureCount == 0,
                let server = request.proxy?.server(for: request.url), let user = server.user
            {
                let credential = URLCredential(
                    user: user, password: server.password ?? "", persistence: .none)
                return completionHandler(.useCredential, credential)
            }
            guard let trust = space.serverTrust, let tls = request.tls else {
                return completionHandler(.performDefaultHandling, nil)
            }
            if let failure = Self.failure(of: trust, tls) {
                trustFailure = failure
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            guard tls.trust != .system || tls.acceptsAnyCertificate else {
                return completionHandler(.performDefaultHandling, nil)
            }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }

        /// Why a chain is not good enough; `nil` when it is.
        private static func failure(of trust: SecTrust, _ tls: TLSConfiguration) -> TLSFailure? {
            if !tls.acceptsAnyCertificate {
                switch tls.trust {
                case .system: break
                case .certificates(let pem): setAnchors(pem, of: trust, only: true)
                case .systemAnd(let pem): setAnchors(pem, of: trust, only: false)
                }
                var error: CFError?
                guard SecTrustEvaluateWithError(trust, &error) else {
                    return .untrusted("the system does not trust it")
                }
            }
            guard !tls.pins.isEmpty else { return nil }
            let all = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []).map {
                [UInt8](SecCertificateCopyData($0) as Data)
            }
            // Where no chain is checked, only the server's own key counts.
            let chain = tls.acceptsAnyCertificate ? Array(all.prefix(1)) : all
            let isPinned = CertificateKey.isPinned(chain, to: tls.pins) { bytes in
                Array(SHA256.hash(data: bytes))
            }
            return isPinned ? nil : .pinMismatch
        }

        private static func setAnchors(_ pem: String, of trust: SecTrust, only: Bool) {
            let anchors = CertificateKey.certificates(inPEM: pem).compactMap {
                SecCertificateCreateWithData(nil, Data($0) as CFData)
            }
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, only)
        }
    }
#endif
