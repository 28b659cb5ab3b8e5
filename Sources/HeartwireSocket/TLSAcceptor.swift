public import HeartwireSession

/// The server's side of TLS for channels that are up, such as those of a ``TCPListener``.
public struct TLSAcceptor: Sendable {
    #if canImport(COpenSSL)
        private let context: TLSContext
    #endif

    /// Reads the server's certificate and key.
    ///
    /// - Throws: `TLSFailure.configuration` when they cannot be used, `TLSFailure.unavailable` where there is no
    ///   OpenSSL.
    public init(_ configuration: TLSServerConfiguration) throws(TLSFailure) {
        #if canImport(COpenSSL)
            context = try TLSContext(configuration)
        #else
            throw .unavailable
        #endif
    }

    /// The channel that speaks TLS over `base`, whose handler it becomes. Must be called in the domain.
    ///
    /// Its own handler does not hear when the handshake is done: until then what it writes has no room, and nothing
    /// is received. Who accepts has to bound the time that this may take, as ``TCPChannel`` does not.
    ///
    /// - Throws: `TLSFailure.configuration` when OpenSSL has no memory.
    public func channel(over base: any ByteChannel) throws(TLSFailure) -> any ByteChannel {
        #if canImport(COpenSSL)
            return try TLSChannel(accepting: base, context: context)
        #else
            throw .unavailable
        #endif
    }
}

extension TLSIdentity {
    /// Makes a certificate for `localhost`, `127.0.0.1` and `::1` that signs itself, valid for 30 days.
    ///
    /// - Throws: `TLSFailure.configuration` when OpenSSL cannot, `TLSFailure.unavailable` where there is none.
    public static func selfMade() throws(TLSFailure) -> TLSIdentity {
        #if canImport(COpenSSL)
            let maker = CertificateMaker(
                commonName: "heartwire endpoint",
                names: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"])
            return try maker.make().identity
        #else
            throw .unavailable
        #endif
    }

    /// The SHA-256 hash of the first certificate, and the pin of its key.
    ///
    /// - Throws: `TLSFailure.configuration` when there is no certificate, `TLSFailure.unavailable` where there is
    ///   no OpenSSL.
    public func fingerprint() throws(TLSFailure) -> (certificate: [UInt8], pin: PublicKeyPin) {
        #if canImport(COpenSSL)
            guard let own = try TLSCertificate.all(in: certificates).first,
                let pin = TLSCertificate.pin(of: own.pointer)
            else { throw .configuration("there is no certificate") }
            return (own.fingerprint, pin)
        #else
            throw .unavailable
        #endif
    }
}
