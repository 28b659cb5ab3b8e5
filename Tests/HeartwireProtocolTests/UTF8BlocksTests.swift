import Testing

@testable import HeartwireProtocol

@Suite("UTF-8 judged a block at a time")
struct UTF8BlocksTests {
    private static let block = UTF8Blocks.blockBytes
    private static let turn = UTF8Blocks.firstTurnBytes
    private static let before = UTF8Blocks.lookBehind

    /// How many of `bytes`, which stand behind three letters, are skipped.
    private func skipped(_ bytes: [UInt8], allPlanes: Bool = false) -> Int {
        look(at: bytes, allPlanes: allPlanes).skipped
    }

    /// The same, and whether the first look is left out from there on.
    private func look(at bytes: [UInt8], allPlanes: Bool) -> (skipped: Int, allPlanes: Bool) {
        let text = Array("abc".utf8) + bytes
        var allPlanes = allPlanes
        let end = text.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return 0 }
            return UTF8Blocks.skipValid(
                base, from: Self.before, to: memory.count, allPlanes: &allPlanes)
        }
        return (end - Self.before, allPlanes)
    }

    /// So many bytes of one character and another in turn, as far as they are whole.
    private func text(_ characters: [String], _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0... {
            let next = characters[index % characters.count].utf8
            if bytes.count + next.count > count { break }
            bytes += next
        }
        return bytes
    }

    /// So many bytes of characters that take two.
    private func accents(_ count: Int) -> [UInt8] {
        (0..<count / 2).flatMap { _ in Array("é".utf8) }
    }

    private func letters(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "x"), count: count)
    }

    /// Whether `piece`, behind `offset` valid bytes and before some more, is found where it has a fault, by either look:
    /// everything is skipped up to the block that holds the fault, but for a character that goes on there, and nothing of
    /// the fault is.
    private func isFound(_ piece: [UInt8], at offset: Int) -> Bool {
        let rest = accents(Self.block + 6)
        let bytes = letters(offset % 2) + accents(offset) + piece + rest
        let valid = offset + UTF8Grammar.wholePrefix(of: (piece + rest)[...])
        return [false, true].allSatisfy { allPlanes in
            let end = skipped(bytes, allPlanes: allPlanes)
            return end <= valid && end >= valid / Self.block * Self.block - Self.before
        }
    }

    @Test("8.1: text of whole blocks is skipped whole, in every script")
    func whole() {
        for character in [
            "é", "ж", "क", "世", "한", "𝄞", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{3FFFF}",
            "\u{40000}", "\u{10FFFF}",
        ] {
            let bytes = text([character], 4 * UTF8Blocks.turnBytes)
            let blocks = bytes.count / Self.block * Self.block
            #expect(skipped(bytes) > blocks - character.utf8.count, "\(character)")
        }
    }

    @Test("8.1: characters that the first look does not know are valid, and it is not asked again")
    func planes() {
        let count = 2 * UTF8Blocks.turnBytes
        for (characters, areKnown) in [
            (["ж", "世", "😀", "é"], true), (["😀"], true), (["𠀋"], true), (["\u{3FFFF}"], true),
            (["\u{40000}"], false), (["\u{E0101}", "葛"], false), (["\u{10FFFF}"], false),
            // Such that what both lack comes together in one place.
            (["😀", "abcd", "abcd", "abcd", "𠀋", "abcd", "abcd", "abcd"], false),
        ] {
            let bytes = text(characters, count)
            let first = look(at: bytes, allPlanes: false)
            #expect(first.skipped > bytes.count - Self.block - Self.before, "\(characters)")
            #expect(first.allPlanes == !areKnown, "\(characters)")
            let second = look(at: bytes, allPlanes: true)
            #expect(second == (first.skipped, true), "\(characters)")
        }
    }

    @Test("Less than a block is left to others")
    func short() {
        for count in 0..<Self.block { #expect(skipped(accents(count)) == 0) }
        #expect(skipped(accents(Self.block)) == Self.block)
        #expect(skipped(accents(Self.turn + Self.block + 2)) == Self.turn + Self.block)
    }

    @Test("Two blocks of ASCII where a turn ends are left to others, and one is not")
    func ascii() {
        let rest = accents(2 * Self.block)
        let ending = accents(Self.turn - 2 * Self.block) + letters(2 * Self.block)
        #expect(skipped(ending + rest) == Self.turn)
        let short = accents(Self.turn - Self.block) + letters(Self.block) + rest
        #expect(skipped(short) == short.count)
        let within = accents(Self.block) + letters(2 * Self.block) + rest
        #expect(skipped(within) == within.count)
    }

    @Test(
        "A character that goes on behind the last block is left whole", arguments: ["é", "世", "𝄞"])
    func crossing(_ character: String) {
        let one = Array(character.utf8)
        for inside in 1..<one.count {
            let bytes = Array("é".utf8) + letters(Self.block - inside - 2) + one
            #expect(bytes.count > Self.block)
            #expect(skipped(bytes) == Self.block - inside)
        }
    }

    @Test("RFC 3629 4: each two bytes are judged as they must be, in every place of a block")
    func pairs() {
        for lead in UInt8(0x7F)...UInt8.max {
            var wrong: [UInt8] = []
            for second in UInt8.min...UInt8.max {
                // Completed to four bytes, so that what is wrong is the pair, or else what it is completed with.
                let offset = Int(lead &+ second) % Self.block
                let isRight = ([[], [0x80], [0x80, 0x80]] as [[UInt8]]).allSatisfy {
                    isFound([lead, second] + $0, at: offset)
                }
                if !isRight { wrong.append(second) }
            }
            #expect(wrong.isEmpty, "\(lead)")
        }
    }

    @Test(
        "RFC 3629 4: characters at the edges of every range are judged as they must be across the end of a turn",
        arguments: [
            0x7F, 0xC0, 0xC1, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
        ] as [UInt8])
    func turns(_ lead: UInt8) {
        // The second turn is twice as long.
        for offset in [Self.turn, 3 * Self.turn].flatMap({ $0 - 5...$0 + 1 }) {
            for second in [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
                for rest in [[], [0xBF], [0xBF, 0x80], [0xBF, 0xC2]] as [[UInt8]] {
                    #expect(
                        isFound([lead, second] + rest, at: offset), "\(second) \(rest) \(offset)")
                }
            }
        }
    }

    @Test("Damage at random is never passed")
    func damage() {
        let random = SeededSource(seed: 36_29)
        let whole = Array(String(repeating: "κόσμε 数据 🫀 Ärger 𠀋\u{E0101} ", count: 12).utf8)
        #expect(whole.count > Self.turn + 3 * Self.block)
        for _ in 0..<5_000 {
            var bytes = whole
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            #expect(skipped(bytes) <= UTF8Grammar.wholePrefix(of: bytes[...]))
        }
    }
}
