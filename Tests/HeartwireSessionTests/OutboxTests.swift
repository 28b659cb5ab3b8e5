import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("Outbox: what is taken in")
struct OutboxTests {
    private func outbox(
        count: Int = 3, bytes: Int = 1_000, _ overflow: OutboxBounds.Overflow = .rejectNew,
        age: Duration? = nil
    ) -> Outbox {
        var bounds = OutboxBounds()
        bounds.count = count
        bounds.bytes = bytes
        bounds.age = age
        bounds.overflow = overflow
        return Outbox(bounds)
    }

    @Test("D2: an outbox begins empty, with the default bounds and the fence")
    func empty() {
        let outbox = Outbox()
        #expect(outbox.isEmpty)
        #expect(outbox.count == 0)
        #expect(outbox.bytes == 0)
        #expect(outbox.ids == [])
        #expect(outbox.bounds == OutboxBounds())
        #expect(outbox.confirmation == .fence)
        #expect(outbox.lastID == .none)
        #expect(outbox.generation == nil)
        #expect(outbox.nextDeadline == nil)
        #expect(Outbox.Confirmation.allCases == [.written, .fence, .acknowledgement])
    }

    @Test("D4: ids go on behind the last one that is used up")
    func ids() throws {
        var outbox = Outbox(after: 41)
        #expect(try outbox.fill("a", "b") == [42, 43])
        #expect(outbox.lastID == 43)
        #expect(outbox.ids == [42, 43])
    }

    @Test("D2: a message goes out only when it is stored, and none overtakes it")
    func storedFirst() throws {
        var outbox = outbox()
        _ = outbox.opened(g1)
        let first = try outbox.add(.text("a"), at: at(0)).id
        let second = try outbox.add(.text("b"), at: at(0)).id
        outbox.stored(second)
        #expect(!outbox.canWrite)
        #expect(outbox.takeNext() == nil)
        outbox.stored(first)
        #expect(outbox.canWrite)
        #expect(outbox.writeAll() == ["a", "b"])
        outbox.stored(first)
        outbox.stored(99)
        #expect(outbox.takeNext() == nil)
        #expect(outbox.faults == [])
    }

    @Test("D4: what the store cannot take was never promised and is forgotten")
    func storeFailed() throws {
        var outbox = outbox()
        let first = try outbox.add(.text("a"), at: at(0)).id
        try outbox.fill("b")
        outbox.storeFailed(first)
        outbox.storeFailed(first)
        #expect(outbox.ids == [2])
        outbox.storeFailed(2)
        #expect(outbox.ids == [2], "a stored message cannot fail to be stored")
        #expect(outbox.faults == [])
    }

    @Test("K04-07: of five messages for three places the last two are refused and three are intact")
    func rejectNew() throws {
        var outbox = outbox()
        try outbox.fill("a", "b", "c")
        for text in ["d", "e"] {
            #expect(throws: OutboxRefusal.full) { try outbox.add(.text(text), at: at(0)) }
        }
        #expect(outbox.lastID == 3, "a refused message uses no id up")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["a", "b", "c"])
    }

    @Test("K04-07: a full outbox whose callers wait refuses like one that does not")
    func suspend() throws {
        var outbox = outbox(.suspend)
        try outbox.fill("a", "b", "c")
        #expect(throws: OutboxRefusal.full) { try outbox.add(.text("d"), at: at(0)) }
        #expect(!outbox.hasRoom(forBytes: 1))
    }

    @Test("K04-07: under dropOldest each dropped message has the outcome dropped: overflow")
    func dropOldest() throws {
        var outbox = outbox(.dropOldest)
        var dropped: [SettledDelivery] = []
        for text in ["a", "b", "c", "d", "e"] {
            let admission = try outbox.add(.text(text), at: at(0))
            outbox.stored(admission.id)
            dropped += admission.dropped
        }
        #expect(
            dropped == [
                SettledDelivery(1, .rejected(.droppedByOverflow)),
                SettledDelivery(2, .rejected(.droppedByOverflow)),
            ])
        #expect(outbox.ids == [3, 4, 5])
        #expect(outbox.faults == [])
    }

    @Test(
        "D4: as many are dropped as the bytes of the new one need, and none when that is not enough"
    )
    func dropForBytes() throws {
        var outbox = outbox(count: 100, bytes: 400, .dropOldest)
        try outbox.fill("a", "b", "c", "d")
        #expect(outbox.bytes == 260)
        let big = Message.binary([UInt8](repeating: 1, count: 200))
        let admission = try outbox.add(big, at: at(0))
        #expect(admission.dropped.map(\.id) == [1, 2])
        #expect(outbox.bytes == 394)
        // What is being stored cannot be dropped, so there is not enough.
        let full = Message.binary([UInt8](repeating: 1, count: 300))
        #expect(throws: OutboxRefusal.full) { try outbox.add(full, at: at(0)) }
        #expect(outbox.ids == [3, 4, 5])
        #expect(outbox.faults == [])
    }

    @Test("D4: what is on its way makes no room, what is behind it does")
    func dropNothingWritten() throws {
        var outbox = outbox(.dropOldest)
        try outbox.fill("a", "b")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["a", "b"])
        try outbox.fill("c")
        let admission = try outbox.add(.text("d"), at: at(0))
        #expect(admission.dropped == [SettledDelivery(3, .rejected(.droppedByOverflow))])
        outbox.stored(admission.id)
        #expect(outbox.writeAll() == ["d"])
        #expect(throws: OutboxRefusal.full) { try outbox.add(.text("e"), at: at(0)) }
        #expect(outbox.ids == [1, 2, 4])
        #expect(outbox.faults == [])
    }

    @Test("D4: the bounds are met to the byte and to the message")
    func boundaries() throws {
        var outbox = outbox(count: 2, bytes: 164)
        #expect(outbox.hasRoom(forBytes: 100))
        #expect(!outbox.hasRoom(forBytes: 101))
        #expect(!outbox.hasRoom(forBytes: .max))
        try outbox.fill(String(repeating: "x", count: 36))
        #expect(outbox.hasRoom(forBytes: 0))
        #expect(!outbox.hasRoom(forBytes: 1))
        #expect(throws: OutboxRefusal.full) { try outbox.add(.text("1"), at: at(0)) }
        try outbox.fill("")
        #expect(outbox.bytes == 164)
    }

    @Test("D4: a message that could never fit is refused with what it weighs")
    func tooLarge() {
        var outbox = outbox(bytes: 100, .dropOldest)
        let error = #expect(throws: OutboxRefusal.self) {
            try outbox.add(.text(String(repeating: "x", count: 37)), at: at(0))
        }
        #expect(error == .tooLarge(bytes: 101, limit: 100))
        var none = self.outbox(count: 0)
        #expect(throws: OutboxRefusal.tooLarge(bytes: 65, limit: 0)) {
            try none.add(.text("x"), at: at(0))
        }
    }

    @Test("K04-08: without a session nothing can be bound to one")
    func noSession() {
        var outbox = outbox()
        #expect(throws: OutboxRefusal.noSession) {
            try outbox.add(.text("a"), isSessionBound: true, at: at(0))
        }
        #expect(outbox.isEmpty)
    }

    @Test(
        "D4, K04-05: what an earlier process stored comes back in order, with its ids, as possible duplicates"
    )
    func restore() throws {
        var outbox = outbox(count: 1, age: .seconds(1))
        outbox.restore(
            [
                OutboxEntry(id: 9, message: .text("b")), OutboxEntry(id: 4, message: .text("a")),
            ], at: at(500))
        #expect(outbox.ids == [4, 9])
        #expect(outbox.lastID == 9)
        #expect(outbox.nextDeadline == at(1_500))
        #expect(throws: OutboxRefusal.full) { try outbox.add(.text("c"), at: at(500)) }
        _ = outbox.opened(g1)
        #expect(
            outbox.takeNext()
                == OutboxEntry(id: 4, message: .text("a"), isPossibleDuplicate: true))
        #expect(
            outbox.takeNext()
                == OutboxEntry(id: 9, message: .text("b"), isPossibleDuplicate: true))
        #expect(outbox.takeNext() == nil)
        #expect(outbox.faults == [])
    }

    @Test("D2, D4: in whichever order the store gives them back, messages go out by their ids")
    func restoreOrders() {
        let orders: [[DeliveryID]] = [[1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 1, 2]]
        for order in orders {
            var outbox = Outbox()
            #expect(outbox.isEmpty)
            outbox.restore(order.map { OutboxEntry(id: $0, message: .text("a")) }, at: at(0))
            #expect(outbox.ids == [1, 2, 3])
            #expect(!outbox.isEmpty)
            #expect(outbox.faults == [])
        }
    }

    @Test("D4: what the store has not read yet takes its place by its id, however it comes")
    func restoreUnread() throws {
        for order in [[4, 6, 9], [9, 6, 4], [6, 4, 9]] as [[DeliveryID]] {
            var outbox = Outbox(window: OutboxWindow(), after: 5)
            outbox.restore(
                unread: order.map { UnreadEntry(id: $0, byteCount: 36) }, at: at(0))
            #expect(outbox.ids == [4, 6, 9])
            #expect(outbox.bytes == 300)
            #expect(try outbox.fill("a") == [10])
            #expect(outbox.takeRead() == DeliveryID(4)...DeliveryID(10))
            #expect(outbox.faults == [])
        }
    }

    @Test("D4: a weight beyond all numbers has no room, however little is stored")
    func noRoomForTheLargest() throws {
        var outbox = outbox()
        try outbox.fill("a")
        #expect(outbox.hasRoom(forBytes: 1))
        #expect(!outbox.hasRoom(forBytes: .max))
    }

    @Test("D4: what fits to the byte is taken in, and no more is dropped for it than must be")
    func fitsToTheByte() throws {
        // Each weighs 100 bytes with its overhead.
        let message = Message.text(String(repeating: "x", count: 36))
        var single = outbox(count: 3, bytes: 100)
        #expect(try single.add(message, at: at(0)).dropped == [])
        var outbox = outbox(count: 10, bytes: 300, .dropOldest)
        for _ in 0..<3 {
            let admission = try outbox.add(message, at: at(0))
            #expect(admission.dropped == [])
            outbox.stored(admission.id)
        }
        #expect(
            try outbox.add(message, at: at(0)).dropped == [
                SettledDelivery(1, .rejected(.droppedByOverflow))
            ])
        #expect(outbox.ids == [2, 3, 4])
    }

    @Test("D4: an id that is used up is not used again, though its message is gone")
    func restoreNothing() throws {
        var outbox = Outbox(after: 12)
        outbox.restore([OutboxEntry(id: 3, message: .text("a"))], at: at(0))
        #expect(try outbox.fill("b") == [13])
    }

    @Test("D6: what is left tells of each message whether it may have arrived")
    func unsettled() throws {
        var outbox = outbox()
        try outbox.fill("a", "b")
        _ = try outbox.add(.text("c"), at: at(0))
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        let expected = [
            UnsettledDelivery(1, mayHaveArrived: true), UnsettledDelivery(2, mayHaveArrived: false),
            UnsettledDelivery(3, mayHaveArrived: false),
        ]
        #expect(outbox.unsettled == expected)
        _ = outbox.ended(g1)
        #expect(outbox.unsettled == expected, "on a connection that is over it still may have")
    }

    @Test("D5: what is written on the open connection is told in order, without what has ended")
    func writtenIDs() throws {
        var outbox = Outbox(confirmation: .acknowledgement)
        try outbox.fill("a", "b", "c", "d")
        #expect(outbox.writtenIDs == [])
        _ = outbox.opened(g1)
        for _ in 0..<3 { _ = outbox.takeNext() }
        #expect(outbox.writtenIDs == [1, 2, 3])
        _ = outbox.acknowledged(2)
        #expect(outbox.writtenIDs == [1, 3])
        _ = outbox.ended(g1)
        #expect(outbox.writtenIDs == [])
        #expect(outbox.faults == [])
    }

    @Test(
        "D4: what was given up between two entries does not stop the one behind it from going out")
    func gaps() throws {
        var outbox = Outbox(confirmation: .acknowledgement)
        try outbox.fill("a", "b", "c", "d")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["a", "b", "c", "d"])
        #expect(outbox.acknowledged(2).count == 1)
        #expect(outbox.acknowledged(3).count == 1)
        _ = outbox.ended(g1)
        _ = outbox.opened(g2)
        #expect(outbox.takeNext()?.id == 1)
        #expect(outbox.faults == [])
        #expect(outbox.canWrite)
        #expect(outbox.takeNext()?.id == 4)
        #expect(!outbox.canWrite)
        #expect(outbox.faults == [])
    }

    @Test("D4: the age of the oldest stored message is what matters next")
    func nextDeadline() throws {
        var outbox = outbox(age: .seconds(1))
        #expect(outbox.nextDeadline == nil)
        let id = try outbox.add(.text("a"), at: at(0)).id
        #expect(outbox.nextDeadline == nil, "not while it is being stored")
        outbox.stored(id)
        #expect(outbox.nextDeadline == at(1_000))
        try outbox.fill("b", at: at(400))
        #expect(outbox.expire(at: at(1_000)).map(\.id) == [1])
        #expect(outbox.nextDeadline == at(1_400))
    }
}
