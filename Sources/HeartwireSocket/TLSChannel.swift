#if canImport(COpenSSL)
    import COpenSSL
    public import HeartwireSession

    /// TLS over another byte channel, either side of it.
    ///
    /// Theory of operation. The channel beneath brings ciphertext; the session turns all of it into plaintext, which
    /// goes on in pieces of up to 64 KiB, or straight to where the handler keeps it. What is written is encrypted at
    /// once and leaves in one write of the channel beneath for each 256 KiB; ciphertext that does not fit waits, and
    /// meanwhile nothing further is taken. `channelConnected` is reported only after the certificate and the pins were
    /// checked, so not a byte of HTTP leaves before.
    public final class TLSChannel: ByteChannel, ByteChannelHandler, @unchecked Sendable {
        /// The most plaintext that is encrypted ahead of a write.
        static let writeBytes = 256 << 10
        /// How long ciphertext may wait for room after `finish()`.
        static let finishTimeout = Duration.seconds(1)

        enum State {
            /// The channel beneath is being made. → shakingHands, ended.
            case connecting
            /// → up, ended.
            case shakingHands
            /// → finishing, ended.
            case up
            /// What waits still goes out, then FIN. The handler hears nothing more. → ended.
            case finishing
            case ended
        }

        /// The domain of the channel beneath.
        public let executor: any SessionExecutor
        /// Who hears about this channel.
        public var handler: (any ByteChannelHandler)?
        var base: (any ByteChannel)?
        var session: TLSSession?
        var state: State
        var isReading = true
        var isBlocked = false
        var owesWritable = false
        var owesFIN = false
        /// The channel beneath has told its end.
        var hasBaseEnded = false
        var hasReportedEOF = false
        var isDelivering = false
        /// What broke TLS behind bytes on which reading was paused: it is reported when reading goes on.
        var held: TLSFailure?
        private let isServer: Bool
        var timer: TimerID?
        /// Where the ticket of this session goes at its end.
        var keeper: (TLSTickets, TLSPeer)?

        /// The client's side, over a channel that is to be made; see `start(over:)`.
        init(
            connectingOn executor: any SessionExecutor, handler: any ByteChannelHandler,
            context: TLSContext, peer: TLSPeer
        ) throws(TLSFailure) {
            self.executor = executor
            self.handler = handler
            state = .connecting
            session = try TLSSession(context, peer: peer, ticket: context.tickets.take(for: peer))
            keeper = context.keepsTickets ? (context.tickets, peer) : nil
            isServer = false
        }

        /// The server's side, over a channel that is up. The handler does not hear of the handshake; what it
        /// writes before has no room.
        init(accepting base: any ByteChannel, context: TLSContext) throws(TLSFailure) {
            executor = base.executor
            state = .shakingHands
            session = try TLSSession(accepting: context)
            self.base = base
            isServer = true
            base.handler = self
        }

        /// Hands over the channel whose handler this one is.
        func start(over base: any ByteChannel) {
            guard state != .ended else { return base.abort(reset: false) }
            self.base = base
        }

        /// Whether an earlier session was resumed.
        var isResumed: Bool { session?.isResumed == true }

        // MARK: The channel beneath

        /// Passes on how far the channel beneath has come.
        public func channelProgressed(_ phase: ConnectPhase) {
            handler?.channelProgressed(phase)
        }

        /// Begins the handshake.
        public func channelConnected() {
            guard state == .connecting else { return }
            state = .shakingHands
            handler?.channelProgressed(.tls)
            shakeHands()
        }

        /// As the handler has it.
        public var channelReadsToTheEnd: Bool { handler?.channelReadsToTheEnd == true }

        /// Takes ciphertext.
        public func channelReceived(_ bytes: UnsafeRawBufferPointer) {
            guard state == .shakingHands || state == .up, let session else { return }
            session.memory.lend(bytes) {
                if state == .shakingHands { shakeHands() }
                if state == .up { deliver() }
            }
        }

        /// The channel beneath has ended, which is in order only after `close_notify`.
        public func channelReceivedEOF() {
            switch state {
            case .shakingHands: fail(.truncated)
            case .up:
                // Still unread behind a pause: the end is looked at when reading goes on.
                hasBaseEnded = true
                if isReading { reportEnd() }
            case .connecting, .finishing, .ended: break
            }
        }

        /// Lets out more ciphertext.
        public func channelBecameWritable() {
            isBlocked = false
            flush()
            guard !isBlocked else { return }
            if state == .finishing { return endFinishing() }
            if owesFIN {
                owesFIN = false
                base?.finishWriting()
            }
            reportRoom()
        }

        /// The channel beneath is over.
        public func channelFailed(_ failure: ConnectionFailure) {
            base = nil
            let handler = self.handler
            end()
            handler?.channelFailed(failure)
        }

        // MARK: The handshake

        private func shakeHands() {
            guard let session else { return }
            let step = session.handshake()
            flush()
            switch step {
            case .wantsInput: break
            case .failed(let failure): fail(failure)
            case .done:
                state = .up
                if !isReading { base?.setReading(false) }
                if isServer { reportRoom() } else { handler?.channelConnected() }
            }
        }
    }
#endif
