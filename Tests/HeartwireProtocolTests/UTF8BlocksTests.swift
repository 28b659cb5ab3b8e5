import Testing

@testable import HeartwireProtocol

@Suite("UTF-8 judged a block at a time")
struct UTF8BlocksTests {
    private static let step = UTF8Blocks.stepBytes
    private static let before = UTF8Blocks.lookBehind

    /// How many of `bytes`, which stand behind three letters, are skipped.
    private func skipped(_ bytes: [UInt8]) -> Int {
        let text = Array("abc".utf8) + bytes
        return text.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return 0 }
            return UTF8Blocks.skipValid(base, from: Self.before, to: memory.count) - Self.before
        }
    }

    /// Two-byte characters up to where `piece` begins, and behind it as many as fill two steps.
    private func text(with piece: [UInt8], at offset: Int) -> [UInt8] {
        let odd = offset % 2 == 0 ? [] : [UInt8(ascii: "x")]
        let front = odd + (0..<offset / 2).flatMap { _ in Array("é".utf8) }
        let rest = (0..<2 * Self.step).flatMap { _ in Array("é".utf8) }
        return Array((front + piece + rest)[..<(3 * Self.step)])
    }

    @Test("8.1: text of whole steps is skipped whole, in every script")
    func whole() {
        for character in [
            "é", "ж", "क", "世", "한", "𝄞", "\u{10FFFF}", "\u{800}", "\u{D7FF}", "\u{E000}",
        ] {
            let one = Array(character.utf8)
            let bytes = (0..<2 * Self.step).flatMap { _ in one }
            #expect(skipped(bytes) == bytes.count, "\(character)")
        }
    }

    @Test("Less than a step is left to others")
    func short() {
        for count in 0..<Self.step / 2 {
            #expect(skipped((0..<count).flatMap { _ in Array("é".utf8) }) == 0)
        }
        #expect(skipped((0..<Self.step / 2).flatMap { _ in Array("é".utf8) }) == Self.step)
    }

    @Test("A step of nothing but ASCII is left to others")
    func ascii() {
        let accents = (0..<Self.step / 2).flatMap { _ in Array("é".utf8) }
        let letters = [UInt8](repeating: UInt8(ascii: "x"), count: Self.step)
        #expect(skipped(letters + accents) == 0)
        #expect(skipped(accents + letters + accents) == Self.step)
    }

    @Test(
        "A character that goes on behind the last step is left whole", arguments: ["é", "世", "𝄞"])
    func crossing(_ character: String) {
        let one = Array(character.utf8)
        for inside in 1..<one.count {
            let front = [UInt8](repeating: UInt8(ascii: "x"), count: Self.step - inside - 2)
            let bytes = Array("é".utf8) + front + one
            #expect(bytes.count > Self.step)
            #expect(skipped(bytes) == Self.step - inside)
        }
    }

    /// The standard library's judgement: apart from ours in every line.
    private func isValid(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    @Test("RFC 3629 4: each two bytes are judged as they must be, in every place of a step")
    func pairs() {
        for lead in UInt8(0x7F)...UInt8.max {
            for second in UInt8.min...UInt8.max {
                // Completed to four bytes, so that what is wrong is the pair, or else what it is completed with.
                let offset = Int(lead &+ second) % Self.step
                for rest in [[], [0x80], [0x80, 0x80]] as [[UInt8]] {
                    let bytes = text(with: [lead, second] + rest, at: offset)
                    let end = skipped(bytes)
                    // Up to there it is valid, and where it is valid it is skipped to the last character.
                    #expect(isValid(Array(bytes[..<end])))
                    let hasFault = !isValid(Array(bytes[..<(2 * Self.step)])) && !endsInside(bytes)
                    if !hasFault { #expect(end >= 2 * Self.step - 3, "\(lead) \(second) \(rest)") }
                }
            }
        }
    }

    /// Whether the cut at two steps only tears a character.
    private func endsInside(_ bytes: [UInt8]) -> Bool {
        (1...3).contains {
            isValid(Array(bytes[..<(2 * Self.step - $0)]))
                && isValid(Array(bytes[..<(2 * Self.step + 4 - $0)]))
        }
    }

    @Test("Damage at random is found by the step that holds it, and never passed")
    func damage() {
        let random = SeededSource(seed: 36_29)
        let whole = Array(String(repeating: "κόσμε 数据 🫀 Ärger ", count: 12).utf8)
        for _ in 0..<20_000 {
            var bytes = whole
            let place = random.below(bytes.count)
            bytes[place] = UInt8(truncatingIfNeeded: random.next())
            let end = skipped(bytes)
            #expect(isValid(Array(bytes[..<end])))
            // What follows a damaged lead may be what is found to be out of place.
            if !isValid(bytes) { #expect(end <= place + 3) }
        }
    }
}
