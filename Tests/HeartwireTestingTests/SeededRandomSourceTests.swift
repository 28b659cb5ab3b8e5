import HeartwireTesting
import Testing

@Suite struct SeededRandomSourceTests {
    @Test("The same seed gives the same numbers, so a run can be replayed")
    func sameSeed() {
        let left = SeededRandomSource(seed: 42)
        let right = SeededRandomSource(seed: 42)
        for _ in 0..<1_000 {
            #expect(left.next() == right.next())
        }
    }

    @Test("SplitMix64 from seed 1234567 begins with the published numbers")
    func publishedNumbers() {
        let source = SeededRandomSource(seed: 1_234_567)
        let numbers = (0..<5).map { _ in source.next() }
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(numbers == expected)
    }

    @Test("Neighbouring seeds give sequences that have nothing in common")
    func neighbouringSeeds() {
        let left = SeededRandomSource(seed: 0)
        let right = SeededRandomSource(seed: 1)
        let first = Set((0..<100).map { _ in left.next() })
        let second = Set((0..<100).map { _ in right.next() })
        #expect(first.count == 100)
        #expect(first.isDisjoint(with: second))
    }
}
