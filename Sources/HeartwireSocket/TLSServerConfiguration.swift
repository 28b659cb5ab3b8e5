public import HeartwireSession

/// How the server's side of TLS is spoken. For endpoints of tests, not for the open internet.
public struct TLSServerConfiguration: Sendable {
    /// What the server shows.
    public var identity: TLSIdentity
    /// The oldest version that is spoken. Default: TLS 1.2, or what the system's own settings for OpenSSL ask for.
    public var minimumVersion = TLSConfiguration.Version.tls12
    /// PEM text of the authorities of which a client must show a certificate; `nil`, the default, asks for none.
    public var clientAuthorities: String?
    /// The newest version that is spoken; `nil` for the newest there is.
    var maximumVersion: TLSConfiguration.Version?
    /// What is done about ALPN.
    var alpn = ALPN.standard

    /// Shows `identity`.
    public init(_ identity: TLSIdentity) {
        self.identity = identity
    }

    /// What a server does about the application protocols that a client offers (RFC 7301).
    enum ALPN: Sendable {
        /// Takes `http/1.1`, and gives up with an alert where it is not offered.
        case standard
        /// Chooses `h2` whatever is offered: a broken server.
        case forceH2
        /// Gives up with `no_application_protocol`.
        case refuse
        /// Does not know ALPN.
        case ignore
    }
}

#if canImport(COpenSSL)
    import COpenSSL

    extension TLSServerConfiguration.ALPN {
        private static let h2 = StaticString("h2")

        /// Answers OpenSSL's question.
        func choose(
            _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>,
            _ count: UnsafeMutablePointer<UInt8>, _ offered: UnsafePointer<UInt8>?,
            _ offeredCount: UInt32
        ) -> Int32 {
            switch self {
            case .refuse: return SSL_TLSEXT_ERR_ALERT_FATAL
            case .ignore: return SSL_TLSEXT_ERR_NOACK
            case .forceH2:
                chosen.pointee = Self.h2.utf8Start
                count.pointee = UInt8(Self.h2.utf8CodeUnitCount)
                return SSL_TLSEXT_ERR_OK
            case .standard:
                let offers = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
                let wanted = TLSContext.applicationProtocol.utf8
                var index = 0
                while index < offers.count {
                    let length = Int(offers[index])
                    let end = min(index + 1 + length, offers.count)
                    let name = offers[(index + 1)..<end]
                    if name.elementsEqual(wanted), let start = offered {
                        // What is chosen has to outlive the call: the offer does.
                        chosen.pointee = start + index + 1
                        count.pointee = UInt8(wanted.count)
                        return SSL_TLSEXT_ERR_OK
                    }
                    index = end
                }
                return SSL_TLSEXT_ERR_ALERT_FATAL
            }
        }
    }
#endif
