import Testing

@testable import Heartwire

@Suite("The bounds of a consumer")
struct BufferBoundsTests {
    @Test("S2: a thousand elements or 4 MiB may wait unless told otherwise")
    func defaults() {
        let bounds = BufferBounds()
        #expect(bounds.count == 1_000)
        #expect(bounds.bytes == 4 << 20)
        #expect(BufferBounds(count: 1_000) == bounds)
        #expect(BufferBounds.elementOverheadBytes == 64)
    }

    @Test("S2: count and bytes hold at the bound and not beyond it")
    func boundary() {
        let bounds = BufferBounds(count: 3, bytes: 100)
        for (count, weight, fits) in [
            (2, 99, true), (3, 100, true), (4, 100, false), (3, 101, false), (4, 101, false),
        ] {
            #expect(bounds.admit(count: count, weight: weight) == fits)
        }
    }

    @Test("S2: less than one element counts as one, so that something can come at all")
    func atLeastOne() {
        for count in [1, 0, -5] {
            let bounds = BufferBounds(count: count, bytes: 100)
            #expect(bounds.admit(count: 1, weight: 65))
            #expect(!bounds.admit(count: 2, weight: 65))
        }
    }

    @Test("S2: an overflow says what was allowed")
    func words() {
        #expect(
            "\(BufferOverflow(bounds: BufferBounds(count: 3, bytes: 100)))"
                == "the consumer is behind by more than 3 elements or 100 bytes")
    }
}
