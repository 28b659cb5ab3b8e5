import Testing

@testable import HeartwireProtocol

@Suite struct CompositionTests {
    /// Texts and their normalization form C, which another implementation gave (Python's `unicodedata`, Unicode 14).
    static let known = [
        ("\u{61}\u{308}", "\u{E4}"),
        ("\u{65}\u{302}\u{301}", "\u{1EBF}"),
        ("\u{65}\u{301}\u{302}", "\u{E9}\u{302}"),
        ("\u{61}\u{338}\u{301}", "\u{E1}\u{338}"),
        ("\u{61}\u{301}\u{323}", "\u{1EA1}\u{301}"),
        ("\u{73}\u{323}\u{307}", "\u{1E69}"),
        ("\u{1100}\u{1161}", "\u{AC00}"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
        ("\u{D558}\u{11AB}", "\u{D55C}"),
        ("\u{AC01}\u{11A8}", "\u{AC01}\u{11A8}"),
        ("\u{1100}\u{11A8}", "\u{1100}\u{11A8}"),
        ("\u{648}\u{654}", "\u{624}"),
        ("\u{627}\u{653}", "\u{622}"),
        ("\u{995}\u{9C7}\u{9BE}", "\u{995}\u{9CB}"),
        ("\u{1025}\u{102E}", "\u{1026}"),
        ("\u{1B05}\u{1B35}", "\u{1B06}"),
        ("\u{304B}\u{3099}\u{304B}", "\u{304C}\u{304B}"),
        ("\u{915}\u{93C}", "\u{915}\u{93C}"),
        ("\u{5D0}\u{5BC}", "\u{5D0}\u{5BC}"),
        ("\u{11099}\u{110BA}", "\u{1109A}"),
        ("\u{3B1}\u{301}\u{345}", "\u{1FB4}"),
        ("\u{438}\u{306}", "\u{439}"),
        ("\u{4ED6}\u{301}", "\u{4ED6}\u{301}"),
        ("\u{78}\u{301}\u{79}", "\u{78}\u{301}\u{79}"),
        ("\u{301}", "\u{301}"),
        ("\u{61}\u{327}\u{301}\u{308}", "\u{E1}\u{327}\u{308}"),
        ("\u{E01}\u{E48}", "\u{E01}\u{E48}"),
        ("\u{BC6}\u{BBE}\u{B95}", "\u{BCA}\u{B95}"),
    ]

    @Test(
        "UAX 15: letters and their marks become what the composed form has for them",
        arguments: known)
    func composed(text: String, form: String) {
        let result = Composition.composed(text.unicodeScalars)
        #expect(result == Array(form.unicodeScalars))
        #expect(Composition.composed(result) == result, "what is composed stays so")
    }

    @Test(
        "UAX 15: every letter of Latin, Greek and Cyrillic with a mark on it is found, and equals what it is made of"
    )
    func everyComposite() {
        var count = 0
        for mark in [0x300, 0x301, 0x302, 0x303, 0x306, 0x308, 0x30C, 0x323, 0x327, 0x328]
            as [UInt32]
        {
            for letter in ["a", "e", "o", "u", "y", "z", "ι", "ω", "и", "ѵ"] as [Unicode.Scalar] {
                guard let mark = Unicode.Scalar(mark) else { continue }
                let result = Composition.composed([letter, mark])
                guard result.count == 1 else { continue }
                count += 1
                var pair = String(letter)
                pair.unicodeScalars.append(mark)
                #expect(String(result[0]) == pair)
            }
        }
        #expect(count == 56)
    }

    @Test("nothing is nothing")
    func empty() {
        #expect(Composition.composed([]).isEmpty)
    }
}
