import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("Outbox: what goes out and what comes back")
struct OutboxConnectionTests {
    private func outbox(
        _ confirmation: Outbox.Confirmation = .fence, age: Duration? = nil
    ) -> Outbox {
        var bounds = OutboxBounds()
        bounds.age = age
        return Outbox(bounds, confirmation: confirmation)
    }

    private func confirmed(_ ids: DeliveryID...) -> [SettledDelivery] {
        ids.map { SettledDelivery($0, .confirmed) }
    }

    @Test(
        "K04-01: what was taken in during an outage goes out on every opening, not only the first")
    func reconnect() throws {
        var outbox = outbox()
        _ = outbox.opened(g1)
        #expect(outbox.ended(g1) == [])
        try outbox.fill("A", "B", "C")
        #expect(!outbox.canWrite)
        #expect(outbox.takeNext() == nil)
        _ = outbox.opened(g2)
        #expect(outbox.writeAll() == ["A", "B", "C"])
        #expect(outbox.writeAll() == [])
    }

    @Test("K04-02: all of a long backlog goes out, ahead of what is newer")
    func longBacklog() throws {
        var outbox = outbox()
        for number in 1...25 { try outbox.fill("\(number)") }
        _ = outbox.opened(g1)
        var texts: [String] = []
        for _ in 0..<10 {
            guard case .text(let text)? = outbox.takeNext()?.message else { continue }
            texts.append(text)
        }
        try outbox.fill("26")
        texts += outbox.writeAll()
        #expect(texts == (1...26).map { "\($0)" })
        #expect(outbox.faults == [])
    }

    @Test(
        "D5, K04-05: what was written and not confirmed goes out again with the same id, flagged, and first"
    )
    func resend() throws {
        var outbox = outbox()
        try outbox.fill("a", "b")
        _ = outbox.opened(g1)
        #expect(outbox.takeNext() == OutboxEntry(id: 1, message: .text("a")))
        #expect(outbox.ended(g1) == [])
        try outbox.fill("c")
        _ = outbox.opened(g2)
        #expect(
            outbox.takeNext()
                == OutboxEntry(id: 1, message: .text("a"), isPossibleDuplicate: true))
        #expect(outbox.takeNext() == OutboxEntry(id: 2, message: .text("b")))
        #expect(outbox.takeNext() == OutboxEntry(id: 3, message: .text("c")))
        #expect(outbox.faults == [])
    }

    @Test("D5: the end of another connection moves nothing; a new opening ends the old one first")
    func oneGeneration() throws {
        var outbox = outbox()
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = try outbox.add(.text("bound"), isSessionBound: true, at: at(0))
        #expect(outbox.writeAll() == ["a", "bound"])
        #expect(outbox.ended(g2) == [])
        #expect(outbox.takeNext() == nil)
        #expect(outbox.opened(g2) == [SettledDelivery(2, .rejected(.sessionEnded))])
        #expect(outbox.ended(g1) == [])
        #expect(outbox.writeAll() == ["a"])
        #expect(outbox.faults == [])
    }

    @Test(
        "D3: a written message is confirmed by the hand-over where that is all that was asked for")
    func confirmedByWriting() throws {
        var outbox = outbox(.written)
        try outbox.fill("a", "b")
        _ = outbox.opened(g1)
        #expect(outbox.handedOver(1) == [], "it was not written yet")
        _ = outbox.takeNext()
        #expect(outbox.handedOver(1) == confirmed(1))
        #expect(outbox.handedOver(1) == [])
        #expect(!outbox.wantsFence)
        outbox.pingSent(PingID(1))
        #expect(outbox.pongReceived(PingID(1)) == [])
        #expect(outbox.ids == [2])
    }

    @Test("D3: the pong of a ping confirms what was written before the ping, and nothing after it")
    func fence() throws {
        var outbox = outbox()
        try outbox.fill("a", "b")
        _ = outbox.opened(g1)
        #expect(!outbox.wantsFence, "nothing was written")
        #expect(outbox.writeAll() == ["a", "b"])
        #expect(outbox.handedOver(1) == [])
        #expect(outbox.wantsFence)
        outbox.pingSent(PingID(5))
        #expect(!outbox.wantsFence)
        try outbox.fill("c")
        #expect(outbox.writeAll() == ["c"])
        #expect(outbox.wantsFence, "the ping does not cover the third")
        #expect(outbox.pongReceived(PingID(4)) == [])
        #expect(outbox.pongReceived(PingID(5)) == confirmed(1, 2))
        #expect(outbox.pongReceived(PingID(5)) == [])
        #expect(outbox.wantsFence)
        outbox.pingSent(PingID(6))
        #expect(outbox.pongReceived(PingID(6)) == confirmed(3))
        #expect(outbox.isEmpty)
        #expect(!outbox.wantsFence)
        #expect(outbox.faults == [])
    }

    @Test("D3: what went out in vain has a ping behind its first message, once on each connection")
    func fenceFirst() throws {
        var outbox = outbox()
        try outbox.fill("a", "b")
        #expect(!outbox.wantsFenceFirst)
        _ = outbox.opened(g1)
        #expect(!outbox.wantsFenceFirst, "nothing was written")
        #expect(outbox.writeAll() == ["a", "b"])
        #expect(!outbox.wantsFenceFirst, "they go out for the first time")
        _ = outbox.ended(g1)
        #expect(!outbox.wantsFenceFirst)
        _ = outbox.opened(g2)
        #expect(!outbox.wantsFenceFirst)
        _ = outbox.takeNext()
        #expect(outbox.wantsFenceFirst)
        outbox.pingSent(PingID(1))
        #expect(!outbox.wantsFenceFirst)
        #expect(outbox.writeAll() == ["b"])
        #expect(outbox.pongReceived(PingID(1)) == confirmed(1))
        #expect(outbox.wantsFence && !outbox.wantsFenceFirst, "there was one")
    }

    @Test("D3: of two pings only the newest counts, and it covers what the older one did")
    func newerPing() throws {
        var outbox = outbox()
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        outbox.pingSent(PingID(1))
        outbox.pingSent(PingID(2))
        #expect(outbox.pongReceived(PingID(1)) == [])
        #expect(outbox.pongReceived(PingID(2)) == confirmed(1))
    }

    @Test("D3, G3: a pong proves nothing about another connection")
    func fenceOfOldConnection() throws {
        var outbox = outbox()
        outbox.pingSent(PingID(1))
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        outbox.pingSent(PingID(2))
        _ = outbox.ended(g1)
        #expect(!outbox.wantsFence)
        #expect(outbox.pongReceived(PingID(2)) == [])
        _ = outbox.opened(g2)
        _ = outbox.takeNext()
        #expect(outbox.pongReceived(PingID(2)) == [])
        #expect(outbox.wantsFence)
        #expect(outbox.ids == [1])
    }

    @Test(
        "D3: where the app acknowledges, or writing is enough, a pong confirms nothing",
        arguments: [Outbox.Confirmation.acknowledgement, .written])
    func pongIsNoAcknowledgement(_ confirmation: Outbox.Confirmation) throws {
        var outbox = outbox(confirmation)
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        outbox.pingSent(PingID(1))
        #expect(outbox.pongReceived(PingID(1)) == [])
        #expect(outbox.ids == [1])
    }

    @Test("D3: no fence is wanted for what was written and is settled already")
    func nothingToFence() throws {
        var outbox = outbox(age: .seconds(1))
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        #expect(outbox.wantsFence)
        #expect(outbox.expire(at: at(1_000)) == [SettledDelivery(1, .expired)])
        #expect(!outbox.wantsFence)
    }

    @Test("D3: the app acknowledges by id, in any order, also after a reconnect, and each once")
    func acknowledgement() throws {
        var outbox = outbox(.acknowledgement)
        try outbox.fill("a", "b", "c")
        _ = outbox.opened(g1)
        #expect(outbox.acknowledged(1) == [], "it never went out")
        _ = outbox.takeNext()
        _ = outbox.takeNext()
        #expect(!outbox.wantsFence)
        #expect(outbox.acknowledged(2) == confirmed(2))
        #expect(outbox.acknowledged(2) == [])
        #expect(outbox.acknowledged(99) == [])
        _ = outbox.ended(g1)
        #expect(outbox.acknowledged(1) == confirmed(1), "it went out on a connection that is over")
        #expect(outbox.acknowledged(3) == [])
        #expect(outbox.ids == [3])
        #expect(outbox.faults == [])
    }

    @Test("D3: an acknowledgement finds its message behind ids that were never given out")
    func acknowledgementBehindGaps() {
        var outbox = outbox(.acknowledgement)
        outbox.restore(
            [1, 5, 6, 9].map {
                OutboxEntry(id: $0, message: .text("a"), isPossibleDuplicate: true)
            },
            at: at(0))
        for id in [DeliveryID(2), 4, 7, 8] { #expect(outbox.acknowledged(id) == []) }
        for id in [DeliveryID(5), 9, 1, 6] { #expect(outbox.acknowledged(id) == confirmed(id)) }
        #expect(outbox.isEmpty)
    }

    @Test("D3: where a fence confirms, an acknowledgement does not")
    func otherKind() throws {
        var outbox = outbox()
        try outbox.fill("a")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        #expect(outbox.acknowledged(1) == [])
    }

    @Test("K04-08: what is bound to the session dies with it, written or not, and the rest goes on")
    func sessionBound() throws {
        var outbox = outbox()
        _ = outbox.opened(g1)
        try outbox.fill("a")
        _ = try outbox.add(.text("sub 7"), isSessionBound: true, at: at(0))
        #expect(outbox.writeAll() == ["a", "sub 7"])
        try outbox.fill("b")
        _ = try outbox.add(.text("unsub 7"), isSessionBound: true, at: at(0))
        #expect(
            outbox.ended(g1) == [
                SettledDelivery(2, .rejected(.sessionEnded)),
                SettledDelivery(4, .rejected(.sessionEnded)),
            ])
        _ = outbox.opened(g2)
        #expect(outbox.writeAll() == ["a", "b"])
        #expect(outbox.faults == [])
    }

    @Test(
        "K04-08: what is bound to the session needs no store, yet overtakes nothing that is being stored"
    )
    func sessionBoundOrder() throws {
        var outbox = outbox()
        _ = outbox.opened(g1)
        let id = try outbox.add(.text("a"), at: at(0)).id
        _ = try outbox.add(.text("bound"), isSessionBound: true, at: at(0))
        #expect(outbox.writeAll() == [])
        outbox.stored(id)
        #expect(outbox.writeAll() == ["a", "bound"])
    }

    @Test("D2: what the transport never takes is rejected with its reason, once")
    func refuse() throws {
        var outbox = outbox()
        try outbox.fill("a", "b")
        _ = outbox.opened(g1)
        #expect(outbox.refuse(1, .closed) == [], "it was not written")
        _ = outbox.takeNext()
        #expect(outbox.refuse(1, .closed) == [SettledDelivery(1, .rejected(.unsendable(.closed)))])
        #expect(outbox.refuse(1, .closed) == [])
        #expect(outbox.refuse(99, .closed) == [])
        #expect(outbox.writeAll() == ["b"])
        #expect(outbox.faults == [])
    }

    @Test("D2: a message expires at its age to the unit, written or not, and each once")
    func expiry() throws {
        var outbox = outbox(age: .seconds(1))
        try outbox.fill("a", "b")
        try outbox.fill("c", at: at(1))
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        #expect(outbox.expire(at: at(999)) == [])
        #expect(
            outbox.expire(at: at(1_000)) == [
                SettledDelivery(1, .expired), SettledDelivery(2, .expired),
            ])
        #expect(outbox.expire(at: at(1_000)) == [])
        #expect(outbox.writeAll() == ["c"])
        #expect(outbox.faults == [])
    }

    @Test("D2: without an age nothing expires, and what is being stored does not either")
    func noExpiry() throws {
        var eternal = outbox()
        try eternal.fill("a")
        #expect(eternal.expire(at: .distantFuture) == [])
        var aging = outbox(age: .seconds(1))
        _ = try aging.add(.text("a"), at: at(0))
        #expect(aging.expire(at: at(5_000)) == [])
        aging.stored(1)
        #expect(aging.expire(at: at(5_000)) == [SettledDelivery(1, .expired)])
    }

    @Test("D4: the places of what was settled go, also behind one that never is")
    func places() throws {
        var outbox = outbox(.acknowledgement)
        _ = outbox.opened(g1)
        try outbox.fill("stuck")
        _ = outbox.takeNext()
        for number in 2...2_000 {
            try outbox.fill("\(number)")
            _ = outbox.takeNext()
            _ = outbox.acknowledged(DeliveryID(UInt64(number)))
            #expect(outbox.faults == [])
        }
        #expect(outbox.ids == [1])
        #expect(outbox.slots.count < 100)
        _ = outbox.ended(g1)
        _ = outbox.opened(g2)
        #expect(outbox.writeAll() == ["stuck"])
    }

    @Test("D2: what was settled in the middle of the queue is passed over")
    func gaps() throws {
        var outbox = outbox(.acknowledgement)
        try outbox.fill("a", "b", "c")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["a", "b", "c"])
        _ = outbox.ended(g1)
        #expect(outbox.acknowledged(2).count == 1)
        _ = outbox.opened(g2)
        #expect(outbox.writeAll() == ["a", "c"])
        #expect(outbox.faults == [])
    }
}
