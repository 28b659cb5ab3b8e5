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
