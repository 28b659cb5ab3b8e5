import Testing

@testable import HeartwireSession

@Suite struct BatchBoundsTests {
    @Test("S5: a batch has 100 messages, 64 KiB or 100 ms unless told otherwise")
    func defaults() {
        let bounds = BatchBounds()
        #expect(bounds.count == 100)
        #expect(bounds.bytes == 64 << 10)
        #expect(bounds.age == .milliseconds(100))
        #expect(BatchBounds(count: 100) == bounds)
    }

    @Test("S5: each of the three bounds can be set, and age can be left out")
    func own() {
        let bounds = BatchBounds(count: 3, bytes: 10, age: nil)
        #expect(bounds.count == 3)
        #expect(bounds.bytes == 10)
        #expect(bounds.age == nil)
    }
}
