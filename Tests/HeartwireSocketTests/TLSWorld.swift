#if os(Linux)
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    /// A TLS client and server on a virtual network, with everything they reported.
    final class TLSWorld {
        static let port: UInt16 = 443

        enum Report: Equatable {
            case progressed(ConnectPhase)
            case connected
            case endOfStream
            case failed(ConnectionFailure)
        }

        /// Writes down what a channel reports.
        final class Side: ByteChannelHandler {
            fileprivate(set) var reports: [Report] = []
            fileprivate(set) var bytes: [UInt8] = []
            var onBytes: (() -> Void)?
            var onConnected: (() -> Void)?
            var onWritable: (() -> Void)?
            var channelReadsToTheEnd = false
            /// Bytes that are wanted where they stay, and how much each such read gave.
            var channelDirectBytes = 0
            fileprivate(set) var directReads: [Int] = []

            func channelReceivesDirectly(
                atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
            ) {
                var room = [UInt8](repeating: 0, count: limit)
                let count = room.withUnsafeMutableBytes { read($0) }
                channelDirectBytes -= count
                directReads.append(count)
                bytes += room[..<count]
                if count > 0 { onBytes?() }
            }

            func channelProgressed(_ phase: ConnectPhase) { reports.append(.progressed(phase)) }
            func channelConnected() {
                reports.append(.connected)
                onConnected?()
            }
            func channelReceived(_ bytes: UnsafeRawBufferPointer) {
                self.bytes += bytes
                onBytes?()
            }
            func channelReceivedEOF() { reports.append(.endOfStream) }
            func channelBecameWritable() { onWritable?() }
            func channelFailed(_ failure: ConnectionFailure) { reports.append(.failed(failure)) }
        }

        /// What the server does not answer goes here.
        private final class Deaf: ByteChannelHandler {
            func channelConnected() {}
            func channelReceived(_ bytes: UnsafeRawBufferPointer) {}
            func channelReceivedEOF() {}
            func channelBecameWritable() {}
            func channelFailed(_ failure: ConnectionFailure) {}
        }

        let executor = VirtualExecutor()
        let network: VirtualNetwork
        let client = Side()
        let server = Side()
        private(set) var channel: (any ByteChannel)?
        private(set) var serverChannel: TLSChannel?
        private(set) var serverBase: VirtualChannel?

        init(
            _ configuration: TLSConfiguration = .test,
            server serverConfiguration: TLSServerConfiguration = .test(),
            contexts: TLSContexts = TLSContexts(), serverContext: TLSContext? = nil,
            listens: Bool = true, answers: Bool = true, pipeCapacity: Int = 256 << 10,
            readSize: Int = 64 << 10
        ) throws {
            network = VirtualNetwork(executor: executor)
            network.pipeCapacity = pipeCapacity
            network.readSize = readSize
            let context = try serverContext ?? TLSContext(serverConfiguration)
            if listens {
                network.listen(port: Self.port) { [unowned self] base in
                    serverBase = base
                    guard answers else { return base.handler = Deaf() }
                    let channel = try? TLSChannel(accepting: base, context: context)
                    channel?.handler = server
                    serverChannel = channel
                }
            }
            let url = try WebSocketURL("wss://a.test/")
            executor.perform {
                channel = TLSConnector(
                    base: network, configuration: configuration, contexts: contexts
                ).connect(to: url, handler: client)
            }
        }

        var serverIsResumed: Bool { serverChannel?.isResumed == true }

        /// Whether no timer is left, so nothing holds on to the connection.
        var isQuiet: Bool {
            executor.advance(by: .seconds(5))
            return executor.pendingTimers == 0
        }

        func run() {
            executor.runUntilIdle()
        }

        func perform(_ body: () -> Void) {
            executor.perform { body() }
        }

        @discardableResult
        func write(_ bytes: [UInt8], on channel: (any ByteChannel)?) -> Int {
            executor.perform { bytes.withUnsafeBytes { channel?.write($0) ?? 0 } }
        }
    }
#endif
