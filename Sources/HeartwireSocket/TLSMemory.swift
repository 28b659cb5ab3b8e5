#if canImport(COpenSSL)
    import COpenSSL

    /// Both sides of the ciphertext of one TLS session, as a BIO: OpenSSL reads here what the network brought and
    /// writes here what is to go out, so a session needs no socket.
    ///
    /// What was lent for the time of a call is read where it lies; only what is left of it after
    /// the call is copied.
    final class TLSMemory {
        /// What is to go out.
        var outgoing = ByteQueue()
        /// What came in earlier and was not read.
        private var incoming = ByteQueue()
        /// The first bytes that OpenSSL took, five at most and the first the highest; and how many they are.
        private var beginning: (bytes: UInt64, count: Int) = (0, 0)
        /// What came in with the present call.
        private var lent = UnsafeRawBufferPointer(start: nil, count: 0)

        /// Whether there is ciphertext that OpenSSL has not read.
        var hasIncoming: Bool { !incoming.isEmpty || !lent.isEmpty }

        /// Whether the peer began with `HTTP/`, where TLS has the header of a record.
        var beganWithHTTP: Bool { beginning.bytes == 0x48_5454_502F }

        /// Lends `bytes` to OpenSSL while `body` runs, behind what came before.
        func lend<R>(_ bytes: UnsafeRawBufferPointer, _ body: () -> R) -> R {
            if incoming.isEmpty { lent = bytes } else { incoming.append(bytes) }
            defer {
                if !lent.isEmpty { incoming.append(lent) }
                lent = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            return body()
        }

        /// Makes the BIO. It holds no reference: this object must outlive it.
        func makeBIO() -> OpaquePointer? {
            guard let bio = BIO_new(Self.method) else { return nil }
            BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
            BIO_set_init(bio, 1)
            return bio
        }

        private func read(into target: UnsafeMutableRawBufferPointer) -> Int {
            if !incoming.isEmpty { return incoming.read(into: target) }
            let taken = min(target.count, lent.count)
            guard taken > 0 else { return 0 }
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: lent.prefix(taken)))
            lent = UnsafeRawBufferPointer(rebasing: lent.dropFirst(taken))
            return taken
        }

        private func noteBeginning(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
            guard beginning.count < 5 else { return }
            for byte in bytes.prefix(5 - beginning.count) {
                beginning = (beginning.bytes << 8 | UInt64(byte), beginning.count + 1)
            }
        }

        private static func of(_ bio: OpaquePointer?) -> TLSMemory? {
            BIO_get_data(bio).map { Unmanaged<TLSMemory>.fromOpaque($0).takeUnretainedValue() }
        }

        /// How OpenSSL calls in. Made once and never freed.
        private nonisolated(unsafe) static let method: OpaquePointer? = {
            let method = BIO_meth_new(BIO_get_new_index() | heartwire_bio_type, "heartwire")
            BIO_meth_set_write(method) { bio, bytes, count in
                guard let bytes, count > 0, let memory = TLSMemory.of(bio) else { return -1 }
                BIO_clear_flags(bio, heartwire_bio_retry_flags)
                memory.outgoing.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                return count
            }
            BIO_meth_set_read(method) { bio, bytes, count in
                guard let bytes, count > 0, let memory = TLSMemory.of(bio) else { return -1 }
                BIO_clear_flags(bio, heartwire_bio_retry_flags)
                let target = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
                let taken = memory.read(into: target)
                memory.noteBeginning(target.prefix(taken))
                guard taken == 0 else { return Int32(clamping: taken) }
                BIO_set_flags(bio, heartwire_bio_retry_read)
                return -1
            }
            BIO_meth_set_ctrl(method) { _, command, _, _ in
                command == BIO_CTRL_FLUSH ? 1 : 0
            }
            return method
        }()
    }
#endif
