import Testing

@testable import HeartwireProtocol

@Suite("SplitMix64: random numbers that can be replayed")
struct SplitMix64Tests {
    @Test("K03-14: the published first numbers of the seed 1234567 come out")
    func published() {
        var random = SplitMix64(seed: 1_234_567)
        let numbers = (0..<5).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test("K03-14: the same seed gives the same numbers, another gives others")
    func seeds() {
        var first = SplitMix64(seed: 7)
        var second = SplitMix64(seed: 7)
        var third = SplitMix64(seed: 8)
        #expect(first == second)
        let number = first.next()
        #expect(number == second.next())
        #expect(number != third.next())
    }
}
