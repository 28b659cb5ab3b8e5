public import HeartwireProtocol
public import HeartwireSession

/// Connects by TLS over the channels of another connector.
///
/// What it makes reports that it is up only after the server's certificate was checked. Without OpenSSL each attempt ends
/// with `TLSFailure.unavailable`.
public struct TLSConnector: ChannelConnector {
    private let base: any ChannelConnector
    private let configuration: TLSConfiguration
    #if canImport(COpenSSL)
        private let contexts: TLSContexts
    #endif

    /// Checks servers as `configuration` says, over the channels of `base`.
    public init(base: any ChannelConnector, configuration: TLSConfiguration = TLSConfiguration()) {
        self.base = base
        self.configuration = configuration
        #if canImport(COpenSSL)
            contexts = .shared
        #endif
    }

    #if canImport(COpenSSL)
        init(base: any ChannelConnector, configuration: TLSConfiguration, contexts: TLSContexts) {
            self.base = base
            self.configuration = configuration
            self.contexts = contexts
        }
    #endif

    /// The domain of the connector beneath.
    public var executor: any SessionExecutor { base.executor }

    /// Begins to connect; see ``ChannelConnector/connect(to:handler:)``.
    public func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        #if canImport(COpenSSL)
            do throws(TLSFailure) {
                let channel = try TLSChannel(
                    connectingOn: executor, handler: handler,
                    context: try contexts.context(for: configuration),
                    peer: TLSPeer(host: url.host, port: url.port))
                channel.start(over: base.connect(to: url, handler: channel))
                return channel
            } catch {
                return FailedChannel(ConnectionFailure(error), on: executor, handler: handler)
            }
        #else
            return FailedChannel(
                ConnectionFailure(TLSFailure.unavailable), on: executor, handler: handler)
        #endif
    }
}

extension TLSConfiguration {
    /// Reads the certificates and the key, as each connection does.
    ///
    /// - Throws: `TLSFailure.configuration` when one of them cannot be used,
    ///   `TLSFailure.unavailable` where there is no OpenSSL.
    public func validate() throws(TLSFailure) {
        #if canImport(COpenSSL)
            _ = try TLSContext(self)
        #else
            throw .unavailable
        #endif
    }
}
