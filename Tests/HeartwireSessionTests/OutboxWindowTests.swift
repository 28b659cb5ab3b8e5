import HeartwireProtocol
import Testing

@testable import HeartwireSession

@Suite("Outbox: what is in memory")
struct OutboxWindowTests {
    /// An outbox whose window holds so many messages, and bytes with each message's place.
    private func outbox(
        _ count: Int, bytes: Int = 1 << 20, _ confirmation: Outbox.Confirmation = .fence,
        bounds: OutboxBounds = OutboxBounds()
    ) -> Outbox {
        var window = OutboxWindow()
        window.count = count
        window.bytes = bytes
        return Outbox(bounds, confirmation: confirmation, window: window)
    }

    private func entries(_ ids: ClosedRange<UInt64>) -> [OutboxEntry] {
        ids.map { OutboxEntry(id: DeliveryID($0), message: .text("\($0)")) }
    }

    private func held(_ outbox: Outbox) -> [UInt64] {
        outbox.slots.compactMap { slot in
            guard case .held = slot.entry?.contents else { return nil }
            return slot.id.number
        }
    }

    @Test("D4: the defaults hold 16,384 messages and 8 MiB")
    func defaults() {
        #expect(OutboxWindow().count == 16_384 && OutboxWindow().bytes == 8 << 20)
        #expect(Outbox().window == nil)
    }

    @Test("D4: what waits without its contents takes at most 40 bytes, whatever was sent")
    func place() {
        #expect(MemoryLayout<Outbox.Slot>.stride <= 40)
    }

    @Test("D4: the window is full with so many messages or so many bytes, to the unit")
    func takes() {
        var window = OutboxWindow()
        (window.count, window.bytes) = (2, 100)
        let one = OutboxLoad(count: 1, bytes: 60)
        #expect(window.takes(40, beside: one))
        #expect(!window.takes(41, beside: one))
        #expect(!window.takes(1, beside: OutboxLoad(count: 2, bytes: 60)))
        #expect(!window.takes(1, beside: OutboxLoad(count: 1, bytes: .max)))
        #expect(window.takes(.max, beside: OutboxLoad()), "one must be held, or it could never go")
    }

    @Test("D4: it is worth reading from half a window on, to the unit, and half a window is read")
    func halves() {
        var window = OutboxWindow()
        (window.count, window.bytes) = (4, 100)
        #expect(window.isHalfEmpty(OutboxLoad(count: 2, bytes: 50)))
        #expect(!window.isHalfEmpty(OutboxLoad(count: 3, bytes: 50)))
        #expect(!window.isHalfEmpty(OutboxLoad(count: 2, bytes: 51)))
        #expect(window.half.count == 2 && window.half.bytes == 50)
    }

    @Test(
        "D2, D4: only the oldest are held; the others are read back in their order, and all go out")
    func beyond() throws {
        var outbox = outbox(4)
        try outbox.fill("1", "2", "3", "4", "5", "6", "7", "8", "9")
        #expect(held(outbox) == [1, 2, 3, 4])
        #expect(outbox.takeRead() == nil, "enough is held")
        _ = outbox.opened(g1)
        #expect(outbox.takeNext()?.message == .text("1"))
        #expect(outbox.takeRead() == nil)
        #expect(outbox.takeNext()?.message == .text("2"))
        #expect(outbox.takeRead() == DeliveryID(5)...DeliveryID(6), "half a window")
        #expect(outbox.takeRead() == nil, "one read at a time")
        #expect(outbox.writeAll() == ["3", "4"])
        #expect(outbox.awaitsContents && !outbox.canWrite && outbox.takeNext() == nil)
        #expect(outbox.read(5...6, entries(5...6)) == [])
        #expect(!outbox.awaitsContents && outbox.canWrite)
        #expect(held(outbox) == [5, 6])
        #expect(outbox.takeRead() == DeliveryID(7)...DeliveryID(8))
        #expect(outbox.read(7...8, entries(7...8)) == [])
        #expect(outbox.takeRead() == nil, "the window is full")
        #expect(outbox.writeAll() == ["5", "6", "7", "8"])
        #expect(outbox.takeRead() == DeliveryID(9)...DeliveryID(9))
        #expect(outbox.read(9...9, entries(9...9)) == [])
        #expect(outbox.takeRead() == nil)
        #expect(outbox.writeAll() == ["9"])
        #expect(!outbox.awaitsContents, "nothing is left to write")
        #expect(outbox.faults == [] && outbox.count == 9)
    }

    @Test(
        "D2: while some contents are with the store, newer ones are left there, so none overtakes")
    func behind() throws {
        var outbox = outbox(2)
        try outbox.fill("1", "2", "3")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["1", "2"])
        try outbox.fill("4")
        #expect(held(outbox) == [])
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        _ = outbox.read(3...3, entries(3...3))
        #expect(outbox.takeRead() == DeliveryID(4)...DeliveryID(4), "one of two is half a window")
        #expect(outbox.writeAll() == ["3"])
        _ = outbox.read(4...4, entries(4...4))
        #expect(outbox.writeAll() == ["4"])
        try outbox.fill("5")
        #expect(held(outbox) == [5], "from where all are held, the next one is again")
        #expect(outbox.faults == [])
    }

    @Test("D4: a message of more bytes than the window is held alone, and read alone")
    func large() throws {
        var outbox = outbox(10, bytes: 200)
        let long = String(repeating: "x", count: 1_000)
        try outbox.fill(long, "2", long, "4")
        #expect(held(outbox) == [1])
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        #expect(outbox.takeRead() == DeliveryID(2)...DeliveryID(2))
        _ = outbox.read(2...2, entries(2...2))
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        _ = outbox.read(3...3, [OutboxEntry(id: 3, message: .text(long))])
        #expect(outbox.takeRead() == nil)
        #expect(outbox.writeAll() == ["2", long])
        #expect(outbox.takeRead() == DeliveryID(4)...DeliveryID(4))
        #expect(outbox.faults == [])
    }

    @Test("D2: what is still being stored is not read, nor is anything behind it")
    func storing() throws {
        var outbox = outbox(1)
        try outbox.fill("1")
        let late = try outbox.add(.text("2"), at: at(0)).id
        let later = try outbox.add(.text("3"), at: at(0)).id
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["1"])
        #expect(outbox.takeRead() == nil && !outbox.awaitsContents)
        outbox.stored(late)
        #expect(outbox.awaitsContents)
        #expect(outbox.takeRead() == DeliveryID(2)...DeliveryID(2))
        outbox.stored(later)
        _ = outbox.read(2...2, entries(2...2))
        #expect(outbox.writeAll() == ["2"])
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        #expect(outbox.faults == [])
    }

    @Test("D5: what was written and not confirmed is read back for the next connection, in order")
    func again() throws {
        var outbox = outbox(4)
        try outbox.fill("1", "2", "3", "4", "5")
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        #expect(held(outbox) == [2, 3, 4], "what is written is not held")
        _ = outbox.ended(g1)
        #expect(held(outbox) == [])
        #expect(!outbox.awaitsContents, "no connection waits for it")
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(2))
        _ = outbox.read(1...2, entries(1...2))
        _ = outbox.opened(g2)
        #expect(
            outbox.takeNext()
                == OutboxEntry(id: 1, message: .text("1"), isPossibleDuplicate: true))
        #expect(outbox.takeNext() == OutboxEntry(id: 2, message: .text("2")))
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(4))
        #expect(outbox.faults == [])
    }

    @Test("D5: a connection that ends before anything was written costs no read")
    func endedAtOnce() throws {
        var outbox = outbox(2)
        try outbox.fill("1", "2", "3")
        _ = outbox.opened(g1)
        _ = outbox.ended(g1)
        #expect(held(outbox) == [1, 2])
        #expect(outbox.faults == [])
    }

    @Test(
        "D5: what was being read when a connection ended is read anew; the late answer is of no use"
    )
    func lateAnswer() throws {
        var outbox = outbox(2)
        try outbox.fill("1", "2", "3", "4")
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["1", "2"])
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        _ = outbox.ended(g1)
        #expect(outbox.read(3...3, entries(3...3)) == [])
        #expect(held(outbox) == [])
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(1))
        outbox.readFailed(3...3)
        #expect(outbox.takeRead() == nil, "that was another one")
        outbox.readFailed(1...1)
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(1), "it may be tried again")
        #expect(outbox.faults == [])
    }

    @Test("D2: what the store has lost, or changed, is rejected, and what is behind it goes out")
    func lost() throws {
        var outbox = outbox(8)
        outbox.restore(
            unread: (1...5).map { UnreadEntry(id: DeliveryID($0), byteCount: 1) }, at: at(0))
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(4))
        let others = [
            OutboxEntry(id: 0, message: .text("0")), OutboxEntry(id: 2, message: .text("2")),
            OutboxEntry(id: 3, message: .text("33")), OutboxEntry(id: 4, message: .text("4")),
        ]
        #expect(
            outbox.read(1...4, others) == [
                SettledDelivery(1, .rejected(.unreadable)),
                SettledDelivery(3, .rejected(.unreadable)),
            ])
        #expect(outbox.ids == [2, 4, 5])
        #expect(outbox.takeRead() == DeliveryID(5)...DeliveryID(5))
        #expect(outbox.read(5...5, []).map(\.id) == [5])
        _ = outbox.opened(g1)
        #expect(outbox.writeAll() == ["2", "4"])
        #expect(outbox.faults == [])
    }

    @Test("D4: what a store has not read counts with its bytes, by its ids, as possible duplicates")
    func restored() {
        var outbox = outbox(2)
        outbox.restore(
            unread: [UnreadEntry(id: 9, byteCount: 10), UnreadEntry(id: 4, byteCount: 30)],
            at: at(0))
        #expect(outbox.ids == [4, 9] && outbox.lastID == 9)
        #expect(outbox.bytes == 40 + 2 * OutboxBounds.entryOverheadBytes)
        #expect(outbox.unsettled.map(\.mayHaveArrived) == [true, true])
        _ = outbox.opened(g1)
        #expect(outbox.awaitsContents)
        #expect(outbox.faults == [])
    }

    @Test(
        "K04-08: what is bound to the session is held wherever it stands, and holds up no reading")
    func sessionBound() throws {
        var outbox = outbox(2)
        _ = outbox.opened(g1)
        try outbox.fill("1", "2", "3")
        for name in ["a", "b", "c"] {
            _ = try outbox.add(.text(name), isSessionBound: true, at: at(0))
        }
        try outbox.fill("7")
        #expect(held(outbox) == [1, 2, 4, 5, 6])
        #expect(outbox.writeAll() == ["1", "2"])
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        _ = outbox.read(3...3, entries(3...3))
        #expect(outbox.firstAbsent == 7)
        #expect(outbox.writeAll() == ["3", "a", "b", "c"])
        #expect(outbox.faults == [])
        #expect(
            outbox.ended(g1).map(\.outcome)
                == [DeliveryOutcome](repeating: .rejected(.sessionEnded), count: 3))
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(1))
        #expect(outbox.faults == [])
    }

    @Test("K04-08, D4: what is bound to the session takes no part in a read")
    func sessionBoundBetween() throws {
        var outbox = outbox(4)
        _ = outbox.opened(g1)
        try outbox.fill("1", "2", "3", "4", "5")
        _ = try outbox.add(.text("a"), isSessionBound: true, at: at(0))
        try outbox.fill("7")
        _ = try outbox.add(.text("b"), isSessionBound: true, at: at(0))
        #expect(held(outbox) == [1, 2, 3, 4, 6, 8])
        #expect(outbox.writeAll() == ["1", "2", "3", "4"])
        #expect(outbox.takeRead() == DeliveryID(5)...DeliveryID(7), "two, of those that are stored")
        let stored = [5, 7].map { OutboxEntry(id: DeliveryID($0), message: .text("\($0)")) }
        #expect(outbox.read(5...7, stored) == [])
        #expect(outbox.takeRead() == nil, "nothing that is stored is left")
        #expect(outbox.writeAll() == ["5", "a", "7", "b"])
        #expect(outbox.faults == [])
    }

    @Test("D4: a new message is held again when all that was not held is settled")
    func settledUnread() throws {
        var bounds = OutboxBounds()
        bounds.age = .seconds(1)
        var outbox = outbox(1, bounds: bounds)
        try outbox.fill("1", "2", "3")
        #expect(outbox.expire(at: at(1_000)).count == 3)
        #expect(outbox.held == OutboxLoad())
        #expect(outbox.takeRead() == nil, "nothing is left to read")
        try outbox.fill("4", at: at(1_000))
        #expect(held(outbox) == [4])
        #expect(outbox.faults == [])
    }

    @Test("D4: what is settled while it is being read is not waited for and not found wanting")
    func settledWhileRead() throws {
        var outbox = outbox(2, .acknowledgement)
        try outbox.fill("1", "2")
        _ = outbox.opened(g1)
        _ = outbox.writeAll()
        _ = outbox.ended(g1)
        #expect(outbox.takeRead() == DeliveryID(1)...DeliveryID(1))
        #expect(outbox.acknowledged(1).count == 1)
        #expect(outbox.read(1...1, []) == [])
        #expect(outbox.takeRead() == DeliveryID(2)...DeliveryID(2))
        #expect(outbox.faults == [])
    }

    @Test("D4: under dropOldest what is not held is given up by its size, like all else")
    func dropOldest() throws {
        var bounds = OutboxBounds()
        (bounds.count, bounds.overflow) = (3, .dropOldest)
        var outbox = outbox(1, bounds: bounds)
        try outbox.fill("1", "2", "3")
        #expect(try outbox.add(.text("4"), at: at(0)).dropped.map(\.id) == [1])
        outbox.stored(4)
        #expect(try outbox.add(.text("5"), at: at(0)).dropped.map(\.id) == [2])
        outbox.stored(5)
        #expect(outbox.takeRead() == DeliveryID(3)...DeliveryID(3))
        _ = outbox.opened(g1)
        _ = outbox.read(3...3, entries(3...3))
        #expect(outbox.writeAll() == ["3"])
        #expect(outbox.faults == [])
    }

    @Test("D4: without a window everything is held and nothing is read")
    func none() throws {
        var outbox = Outbox()
        for number in 1...100 { try outbox.fill("\(number)") }
        #expect(held(outbox).count == 100 && outbox.takeRead() == nil)
        _ = outbox.opened(g1)
        _ = outbox.takeNext()
        _ = outbox.ended(g1)
        #expect(held(outbox).count == 100)
        #expect(outbox.read(1...100, []) == [])
        #expect(outbox.faults == [])
    }
}
