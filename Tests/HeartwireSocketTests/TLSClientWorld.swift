#if os(Linux)
    import Heartwire
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    /// A client and an endpoint by TLS on a virtual network.
    final class TLSClientWorld {
        let executor = VirtualExecutor()
        let network: VirtualNetwork
        let endpoint: Endpoint
        /// The server's channels, in the order in which they were accepted.
        private(set) var accepted: [TLSChannel] = []

        init(
            _ server: TLSServerConfiguration = .test(), isClean: Bool = true,
            isSilent: Bool = false
        ) throws {
            network = VirtualNetwork(executor: executor)
            let endpoint = Endpoint(executor: executor, random: SeededRandomSource(seed: 1))
            self.endpoint = endpoint
            let context = try TLSContext(server)
            network.listen(port: 443) { [unowned self] base in
                guard !isSilent, let channel = try? TLSChannel(accepting: base, context: context)
                else { return }
                accepted.append(channel)
                endpoint.accept(isClean ? channel : UncleanChannel(channel, base))
            }
        }

        /// Virtual milliseconds since the beginning.
        var milliseconds: Int64 { executor.now().nanoseconds / 1_000_000 }

        func client(
            _ target: String = "/", host: String = "a.test",
            configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
        ) throws -> WebSocketClient {
            let network = network
            return try WebSocketClient("wss://\(host)\(target)") { configuration in
                configuration.transport = SocketTransportFactory(
                    connector: network, random: { SeededRandomSource(seed: 2) })
                configuration.seed = 4
                configuration.tls = .test
                configure(&configuration)
            }
        }

        /// Connects, and gives the cause with which the session stops, without back-off.
        func cause(
            _ target: String = "/", host: String = "a.test",
            configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
        ) throws -> CloseCause? {
            let client = try client(target, host: host) {
                $0.reconnect = nil
                configure(&$0)
            }
            return try executor.runScript {
                await client.connect()
                return await client.stopCause()
            }
        }
    }

    extension WebSocketClient {
        /// Waits until the session has stopped, and gives the cause of its last connection.
        nonisolated func stopCause() async -> CloseCause? {
            for await state in states {
                guard case .stopped(let cause) = state else { continue }
                switch cause {
                case .refusedToRetry(let cause), .attemptsExhausted(let cause): return cause
                case .disconnected: return nil
                }
            }
            return nil
        }
    }

    /// A server's channel that ends TCP without saying so to TLS.
    final class UncleanChannel: ByteChannel {
        private let secure: TLSChannel
        private let base: any ByteChannel

        init(_ secure: TLSChannel, _ base: any ByteChannel) {
            self.secure = secure
            self.base = base
        }

        var executor: any SessionExecutor { secure.executor }
        var handler: (any ByteChannelHandler)? {
            get { secure.handler }
            set { secure.handler = newValue }
        }
        func write(_ bytes: UnsafeRawBufferPointer) -> Int { secure.write(bytes) }
        func setReading(_ isReading: Bool) { secure.setReading(isReading) }
        func finishWriting() { base.finishWriting() }
        func finish() {
            secure.handler = nil
            base.finish()
        }
        func abort(reset: Bool) {
            secure.handler = nil
            base.abort(reset: reset)
        }
    }
#endif
