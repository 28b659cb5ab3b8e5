import HeartwireSession
import Testing

@testable import HeartwireURLSession

@Suite("Slots for pongs")
struct PongSlotsTests {
    @Test("H9, T3: a slot counts once, for the newest ping; an error counts for any")
    func once() {
        var slots = PongSlots()
        #expect(slots.settle(PingID(1), hasFailed: false) == .nothing)
        slots.add(PingID(1))
        slots.add(PingID(2))
        slots.add(PingID(3))
        #expect(slots.settle(PingID(1), hasFailed: false) == .nothing)
        #expect(slots.settle(PingID(1), hasFailed: true) == .nothing)
        #expect(slots.settle(PingID(2), hasFailed: true) == .fault)
        #expect(slots.settle(PingID(3), hasFailed: false) == .pong)
        #expect(slots.settle(PingID(3), hasFailed: false) == .nothing)
    }

    @Test("P4, T3: handlers that are never called are bounded in number")
    func bounded() {
        var slots = PongSlots()
        for id in 0...PongSlots.limit { slots.add(PingID(UInt64(id))) }
        #expect(slots.settle(PingID(0), hasFailed: true) == .nothing)
        #expect(slots.settle(PingID(1), hasFailed: true) == .fault)
        #expect(slots.settle(PingID(UInt64(PongSlots.limit)), hasFailed: false) == .pong)
    }
}
