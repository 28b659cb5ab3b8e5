import Testing

@testable import HeartwireSocket

@Suite("Masks from the system's CSPRNG")
struct SystemRandomSourceTests {
    @Test("RFC 6455 5.3: no word is handed out twice, across many refills and two sources")
    func distinct() {
        let sources = [SystemRandomSource(), SystemRandomSource()]
        var seen: Set<UInt64> = []
        for _ in 0..<10_000 {
            for source in sources { seen.insert(source.next()) }
        }
        #expect(seen.count == 20_000)
    }

    @Test("Every bit is set about half of the time")
    func balance() {
        let source = SystemRandomSource()
        var counts = [Int](repeating: 0, count: 64)
        for _ in 0..<4_096 {
            let word = source.next()
            for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
        }
        // Ten standard deviations (32 each) around 2,048.
        #expect(counts.allSatisfy { (1_728...2_368).contains($0) })
    }
}
