#if canImport(COpenSSL)
    import COpenSSL

    /// Whom a client connects to, as TLS sees it.
    struct TLSPeer: Sendable, Hashable {
        /// The name for SNI (RFC 6066 §3) and for the certificate, without a final dot; or the address.
        let host: String
        /// The port; a session is resumed with the same one only.
        let port: UInt16
    }

    /// What one session leaves behind for the next one to resume (RFC 8446 §2.2, RFC 5077).
    final class TLSTicket: @unchecked Sendable {
        let session: OpaquePointer

        /// Takes over one reference to `session`. OpenSSL counts them atomically.
        init(taking session: OpaquePointer) {
            self.session = session
        }

        deinit { SSL_SESSION_free(session) }
    }

    /// The tickets of the peers that a client was connected to last, each used once (RFC 8446 C.4).
    final class TLSTickets: Sendable {
        /// The most peers that are remembered.
        static let limit = 64

        private let tickets = Locked<[(peer: TLSPeer, ticket: TLSTicket)]>([])

        /// How many peers are remembered.
        var count: Int { tickets.withLock { $0.count } }

        /// Remembers a ticket in place of an older one for the same peer.
        func put(_ ticket: TLSTicket, for peer: TLSPeer) {
            tickets.withLock { tickets in
                tickets.removeAll { $0.peer == peer }
                if tickets.count == Self.limit { tickets.removeFirst() }
                tickets.append((peer, ticket))
            }
        }

        /// Hands out the ticket for `peer` and forgets it.
        func take(for peer: TLSPeer) -> TLSTicket? {
            tickets.withLock { tickets in
                tickets.firstIndex { $0.peer == peer }.map { tickets.remove(at: $0).ticket }
            }
        }
    }
#endif
