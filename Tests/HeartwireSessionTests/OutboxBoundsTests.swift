import Testing

@testable import HeartwireSession

@Suite struct OutboxBoundsTests {
    @Test(
        "D4: the defaults keep 10,000 messages of 64 MiB for as long as it takes, and refuse more")
    func defaults() {
        let bounds = OutboxBounds()
        #expect(bounds.count == 10_000)
        #expect(bounds.bytes == 64 << 20)
        #expect(bounds.age == nil)
        #expect(bounds.overflow == .rejectNew)
        #expect(OutboxBounds.Overflow.allCases == [.rejectNew, .suspend, .dropOldest])
    }

    @Test("D4: a message weighs its payload and its place, without overflowing")
    func weight() {
        #expect(OutboxBounds.weight(0) == 64)
        #expect(OutboxBounds.weight(100) == 164)
        #expect(OutboxBounds.weight(.max - 64) == .max)
        #expect(OutboxBounds.weight(.max - 63) == .max)
        #expect(OutboxBounds.weight(.max) == .max)
    }

    @Test("D4: each refusal says why")
    func words() {
        #expect("\(OutboxRefusal.full)" == "the outbox is full")
        #expect(
            "\(OutboxRefusal.tooLarge(bytes: 100, limit: 80))"
                == "the message weighs 100 bytes, the outbox holds at most 80")
        #expect(
            "\(OutboxRefusal.noSession)"
                == "the message is bound to a session and no connection is open")
    }
}
