#if os(Linux)
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    @Suite("What TLS keeps to resume sessions")
    struct TLSTicketTests {
        @Test("RFC 8446 C.4: a ticket is used once, and for its own peer only")
        func once() throws {
            let tickets = TLSTickets()
            let ticket = try makeTicket()
            let peer = TLSPeer(host: "a.test", port: 443)
            tickets.put(ticket, for: peer)
            #expect(tickets.take(for: TLSPeer(host: "b.test", port: 443)) == nil)
            #expect(tickets.take(for: TLSPeer(host: "a.test", port: 444)) == nil)
            #expect(tickets.take(for: peer) === ticket)
            #expect(tickets.take(for: peer) == nil)
        }

        @Test("P4: the newest ticket of a peer stays, and of many peers the latest")
        func bounded() throws {
            let tickets = TLSTickets()
            let first = try makeTicket()
            let second = try makeTicket()
            let peer = TLSPeer(host: "a.test", port: 443)
            tickets.put(first, for: peer)
            tickets.put(second, for: peer)
            #expect(tickets.count == 1)
            #expect(tickets.take(for: peer) === second)
            for port in 1...(TLSTickets.limit + 1) {
                tickets.put(first, for: TLSPeer(host: "a.test", port: UInt16(port)))
            }
            #expect(tickets.count == TLSTickets.limit)
            #expect(tickets.take(for: TLSPeer(host: "a.test", port: 1)) == nil)
            #expect(tickets.take(for: TLSPeer(host: "a.test", port: 2)) === first)
        }

        private func makeTicket() throws -> TLSTicket {
            let pair = try TLSPair()
            _ = pair.shakeHands()
            _ = pair.deliver(pair.server, to: pair.client)
            return try #require(pair.client.ticket())
        }
    }

    @Suite("The contexts that are remembered")
    struct TLSContextsTests {
        @Test("P3: one configuration has one context, and the latest are remembered")
        func bounded() throws {
            let contexts = TLSContexts()
            let first = try contexts.context(for: .test)
            #expect(try contexts.context(for: .test) === first)
            for number in 0..<TLSContexts.limit {
                let pin = PublicKeyPin(sha256: [UInt8](repeating: UInt8(number), count: 32))
                _ = try contexts.context(for: .test { $0.pins = [try #require(pin)] })
            }
            #expect(contexts.count == TLSContexts.limit)
            #expect(try contexts.context(for: .test) !== first)
        }

        @Test("P3: what cannot be used is told, and not remembered")
        func unusable() {
            let contexts = TLSContexts()
            #expect(throws: TLSFailure.self) {
                try contexts.context(for: .test { $0.trust = .certificates(pem: "") })
            }
            #expect(contexts.count == 0)
        }
    }
#endif
