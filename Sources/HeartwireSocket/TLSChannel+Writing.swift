#if canImport(COpenSSL)
    import HeartwireSession

    // What goes out, and the end.
    extension TLSChannel {
        /// Encrypts and hands over as much as the channel beneath takes; see ``ByteChannel/write(_:)``.
        public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard let session, !session.isClosed else { return bytes.count }
            switch state {
            case .finishing, .ended: return bytes.count
            case .connecting, .shakingHands:
                owesWritable = true
                return 0
            case .up: if held != nil { return 0 }
            }
            var taken = 0
            while taken < bytes.count, !isBlocked {
                let piece = bytes[taken..<min(taken + Self.writeBytes, bytes.count)]
                do throws(TLSFailure) {
                    try session.write(UnsafeRawBufferPointer(rebasing: piece))
                } catch {
                    let failure = error
                    executor.execute {
                        if self.state == .up { self.fail(failure) }
                    }
                    return bytes.count
                }
                taken += piece.count
                flush()
            }
            if taken < bytes.count { owesWritable = true }
            return taken
        }

        /// Ciphertext that waits here, and what the channel beneath holds.
        public var unacknowledgedBytes: Int {
            (session?.memory.outgoing.count ?? 0) + (base?.unacknowledgedBytes ?? 0)
        }

        func flush() {
            guard let session, let base, !isBlocked else { return }
            let waiting = session.memory.outgoing.count
            guard waiting > 0 else { return }
            let written = session.memory.outgoing.withUnsafeBytes { base.write($0) }
            session.memory.outgoing.drop(written)
            isBlocked = written < waiting
        }

        func reportRoom() {
            guard owesWritable, state == .up else { return }
            owesWritable = false
            handler?.channelBecameWritable()
        }

        /// Sends `close_notify` after what was written; the FIN is left to the peer, or to the end.
        public func announceEnd() {
            guard state == .up else { return }
            session?.close()
            flush()
        }

        /// Sends `close_notify` and FIN after what was written and goes on reading.
        public func finishWriting() {
            guard state == .up else { return }
            session?.close()
            flush()
            if isBlocked { owesFIN = true } else { base?.finishWriting() }
        }

        // MARK: The end

        /// Sends `close_notify` and FIN after what was written, and closes after the peer or a bounded time.
        public func finish() {
            guard state == .up else { return abort(reset: false) }
            session?.close()
            flush()
            windUp()
        }

        /// Lets out what waits, the handler no longer listening, for a bounded time.
        private func windUp() {
            handler = nil
            state = .finishing
            guard isBlocked else { return endFinishing() }
            timer = executor.schedule(at: executor.now().advanced(by: Self.finishTimeout)) {
                self.abort(reset: false)
            }
        }

        func endFinishing() {
            let base = self.base
            self.base = nil
            end()
            base?.finish()
        }

        /// Closes at once; without `reset`, with `close_notify` as far as there is room.
        public func abort(reset: Bool) {
            if state == .up, !reset {
                session?.close()
                flush()
            }
            let base = self.base
            self.base = nil
            end()
            base?.abort(reset: reset)
        }

        /// Ends with the alert that OpenSSL may have for the peer.
        func fail(_ failure: TLSFailure) {
            let handler = self.handler
            session?.close()
            flush()
            windUp()
            handler?.channelFailed(ConnectionFailure(failure))
        }

        func end() {
            guard state != .ended else { return }
            if let (tickets, peer) = keeper, let ticket = session?.ticket() {
                tickets.put(ticket, for: peer)
            }
            state = .ended
            handler = nil
            session = nil
            if let timer { executor.cancel(timer) }
            timer = nil
        }
    }
#endif
