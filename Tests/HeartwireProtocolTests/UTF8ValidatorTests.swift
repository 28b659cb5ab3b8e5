import Testing

@testable import HeartwireProtocol

@Suite("UTF-8 by RFC 3629, judged at the first impossible byte")
struct UTF8ValidatorTests {
    /// What the validator says about bytes in pieces: `nil` at the first impossible byte, else whether
    /// the bytes end at the end of a character.
    private func judge(_ pieces: [[UInt8]]) -> Bool? {
        var validator = UTF8Validator()
        for piece in pieces {
            guard validator.consume(piece.span) else { return nil }
        }
        return validator.isAtBoundary
    }

    /// What the grammar says about bytes, in the terms of ``judge(_:)``.
    private func derive(_ bytes: [UInt8]) -> Bool? { UTF8Grammar.derive(bytes[...]) }

    @Test("RFC 3629 4: every sequence of one byte")
    func oneByte() {
        for byte in UInt8.min...UInt8.max {
            #expect(judge([[byte]]) == derive([byte]), "\(byte)")
        }
    }

    @Test("RFC 3629 4: every sequence of two bytes, whole and cut")
    func twoBytes() {
        var wrong: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let expected = derive([first, second])
                let isRight =
                    judge([[first, second]]) == expected && judge([[first], [second]]) == expected
                if !isRight { wrong.append([first, second]) }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("RFC 3629 4: every sequence of three bytes behind a lead of E0 or more")
    func threeBytes() {
        var wrong: [[UInt8]] = []
        for lead in UInt8(0xE0)...0xFF {
            for second in UInt8.min...UInt8.max {
                // The third byte is only ever judged by being a continuation or not.
                for third in [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] {
                    let bytes = [lead, second, UInt8(third)]
                    if judge([bytes]) != derive(bytes) { wrong.append(bytes) }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("RFC 3629 4: sequences of four bytes at the edges of every range, within longer text")
    func fourBytes() {
        let edges: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        var wrong: [[UInt8]] = []
        for lead in UInt8(0xE0)...0xF8 {
            for second in edges {
                for third in edges {
                    for fourth in edges {
                        let bytes = [lead, second, third, fourth]
                        let framed = [0x41] + bytes + [0x41, 0x41, 0x41, 0x41]
                        if judge([bytes]) != derive(bytes) { wrong.append(bytes) }
                        if judge([framed]) != derive(framed) { wrong.append(framed) }
                    }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Every scalar of Unicode is taken, in any cut")
    func everyScalar() {
        var wrong: [UInt32] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(UTF8.encode(scalar) ?? .init())
            var pieces = [bytes]
            if value % 97 == 0 { pieces = bytes.map { [$0] } }
            if judge(pieces) != true { wrong.append(value) }
        }
        #expect(wrong.isEmpty)
    }

    @Test(
        "8.1: the first impossible byte is found where it stands, not later",
        arguments: [
            ([0xF4, 0x90] as [UInt8], 1), ([0xE0, 0x80], 1), ([0xED, 0xA0], 1), ([0xF0, 0x8F], 1),
            ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0), ([0x80], 0),
            ([0xE2, 0x82, 0x41], 2),
            ([0xF1, 0x80, 0x80, 0xC0], 3),
        ])
    func firstImpossibleByte(_ bytes: [UInt8], at offset: Int) {
        for lead in [[], Array("plain ascii ".utf8), Array("€𝄞ß".utf8)] {
            let good = lead + bytes[..<offset]
            #expect(judge([good]) != nil)
            #expect(judge([good + [bytes[offset]]]) == nil)
            #expect(judge([good, [bytes[offset]]]) == nil)
        }
    }

    @Test(
        "A text in every alphabet is taken, cut at every byte, and random damage is judged the same"
    )
    func everyCut() {
        let text = Array(
            "κόσμε – Kraków 数据 🫀 \u{10FFFF}\u{800}\u{FFFF}é plain ascii at the end".utf8)
        for pieces in cuts(of: text) { #expect(judge(pieces) == true) }
        let random = SeededSource(seed: 3629)
        for _ in 0..<2_000 {
            var bytes = text
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            let expected = derive(bytes)
            let cut = random.below(bytes.count)
            #expect(judge([bytes]) == expected)
            #expect(judge([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
        }
    }

    /// Runs of characters of many scripts, `count` bytes or a little more.
    private func text(of count: Int, by random: SeededSource) -> [UInt8] {
        let scripts: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x20...0x7E, 0xC0...0x17F, 0x370...0x3FF, 0x400...0x4FF, 0x5D0...0x6FF,
            0x800...0xD7F, 0xE00...0x10FF, 0x1E00...0x206F, 0x3000...0x30FF, 0x4E00...0x9FFF,
            0xAC00...0xD7FF, 0xE000...0xFFFF, 0x10000...0x1FFFF, 0x20000...0xFFFFF,
            0x100000...0x10FFFF,
        ]
        var bytes: [UInt8] = []
        while bytes.count < count {
            let script = scripts[random.below(scripts.count)]
            for _ in 0...random.below(40) {
                let value = script.lowerBound + UInt32(random.below(script.count))
                bytes += Unicode.Scalar(value).flatMap(UTF8.encode).map(Array.init) ?? []
            }
        }
        return bytes
    }

    @Test("8.1: text in any scripts, whole, damaged and cut, is judged as the grammar judges it")
    func differential() {
        let random = SeededSource(seed: 81)
        for _ in 0..<1_500 {
            var bytes = text(of: 1 + random.below(700), by: random)
            #expect(judge([bytes]) == true)
            for _ in 0...random.below(2) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            let cut = random.below(bytes.count)
            let expected = derive(bytes)
            #expect(judge([bytes]) == expected)
            #expect(judge([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
        }
    }

    @Test("8.1: text in any scripts is taken, and its damage found, wherever it is cut in two")
    func everySplit() {
        let random = SeededSource(seed: 82)
        for _ in 0..<2 {
            let whole = text(of: 2 * UTF8Blocks.turnBytes, by: random)
            var damaged = whole
            damaged[random.below(whole.count)] = 0xFF
            for cut in 0...whole.count {
                #expect(judge([Array(whole[..<cut]), Array(whole[cut...])]) == true)
                #expect(judge([Array(damaged[..<cut]), Array(damaged[cut...])]) == nil)
            }
        }
    }

    @Test("A byte that is not ASCII is found at every offset of a long run, at any alignment")
    func longRuns() {
        for length in 0..<100 {
            let ascii = [UInt8](repeating: 0x7F, count: length)
            #expect(judge([ascii]) == true)
            for offset in 0..<length {
                var spoilt = ascii
                spoilt[offset] = 0x80
                #expect(judge([spoilt]) == nil)
            }
        }
    }

    @Test("It tells whether there was nothing but ASCII")
    func onlyASCII() {
        var validator = UTF8Validator()
        let plain = Array("plain".utf8)
        let umlaut = Array("ü".utf8)
        #expect(validator.consume(plain.span) && validator.sawOnlyASCII)
        #expect(validator.consume(umlaut.span) && !validator.sawOnlyASCII)
        #expect(validator.consume(plain.span) && !validator.sawOnlyASCII)
    }

    @Test("No bytes are valid")
    func empty() {
        #expect(judge([]) == true)
        #expect(judge([[]]) == true)
        var validator = UTF8Validator()
        #expect(validator.consume(UnsafeRawBufferPointer(start: nil, count: 0)) == true)
    }
}
