#if canImport(COpenSSL)
    import HeartwireSession

    // What comes in, and where it goes.
    extension TLSChannel {
        /// The most plaintext that one report holds which is not read to where it stays.
        static let readBytes = 64 << 10
        /// More than this is not asked room for at once.
        static let largestDirectRead = 256 << 10

        /// Reports what can be decrypted, as long as reading is wanted.
        func deliver() {
            guard !isDelivering, let session else { return }
            if let held, isReading { return fail(held) }
            isDelivering = true
            var outcome = TLSSession.Plaintext.wantsInput
            repeat {
                outcome = deliverNext(session)
            } while state == .up && isMore(outcome)
            isDelivering = false
            guard state == .up else { return }
            // Answers of TLS itself, such as to a key update.
            flush()
            switch outcome {
            case .failed(let failure):
                if isReading || !channelReadsToTheEnd { fail(failure) } else { held = failure }
            case .closed: if isReading { reportEOF() }
            case .bytes, .wantsInput: if hasBaseEnded, isReading { reportEnd() }
            }
        }

        /// Reports what is decrypted next, and tells how the last read of that ended.
        private func deliverNext(_ session: TLSSession) -> TLSSession.Plaintext {
            guard isReading, let handler else { return .wantsInput }
            let direct = handler.channelDirectBytes
            guard direct >= TLSSession.recordBytes else { return deliverCopied(session, handler) }
            var outcome = TLSSession.Plaintext.wantsInput
            handler.channelReceivesDirectly(atMost: min(direct, Self.largestDirectRead)) { room in
                session.read(atLeast: room.count, into: room, &outcome)
            }
            return outcome
        }

        /// Reports small records together. A full one is part of something long, and what follows it may have a place
        /// where it stays.
        private func deliverCopied(_ session: TLSSession, _ handler: any ByteChannelHandler)
            -> TLSSession.Plaintext
        {
            withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 64) { buffer in
                var outcome = TLSSession.Plaintext.wantsInput
                let count = session.read(atLeast: TLSSession.recordBytes, into: buffer, &outcome)
                guard count > 0 else { return outcome }
                handler.channelReceived(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return outcome
            }
        }

        private func isMore(_ outcome: TLSSession.Plaintext) -> Bool {
            if case .bytes = outcome { true } else { false }
        }

        private func reportEOF() {
            guard !hasReportedEOF else { return }
            hasReportedEOF = true
            handler?.channelReceivedEOF()
        }

        /// The channel beneath has ended: in order only after the peer's `close_notify`.
        func reportEnd() {
            guard !hasReportedEOF else { return }
            if session?.hasReceivedClose == true { reportEOF() } else { fail(.truncated) }
        }

        /// Stops or resumes reading; what is decrypted already waits too.
        public func setReading(_ isReading: Bool) {
            guard self.isReading != isReading else { return }
            self.isReading = isReading
            guard state == .up else { return }
            base?.setReading(isReading)
            guard isReading else { return }
            // What was decrypted or received before the pause; in a later turn, as for any channel.
            executor.execute {
                if self.state == .up { self.deliver() }
            }
        }

        /// Bounds what one read takes of the ciphertext, and so what comes of it.
        public func limitReads(to bytes: Int) { base?.limitReads(to: bytes) }
    }
#endif
