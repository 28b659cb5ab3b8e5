/// Puts letters and their marks together to the scalars that equal them, as normalization form C has it (UAX 15).
///
/// The standard library compares text up to canonical equivalence and does not give the form itself, so a composite is looked
/// for among its script's. What is known of a letter with a mark on it already is not taken apart again: such text comes from
/// no keyboard and no file system.
enum Composition {
    /// The text in its composed form.
    static func composed(_ text: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        // Where the last letter stands that a mark can go on.
        var letter: Int?
        for scalar in ordered(text) {
            if let place = letter, let last = result.last,
                reaches(scalar, behind: last, isLetter: place == result.count - 1),
                let composite = composite(result[place], scalar)
            {
                result[place] = composite
                continue
            }
            if combiningClass(scalar) == 0 { letter = result.count }
            result.append(scalar)
        }
        return result
    }

    /// Whether nothing between a letter and a mark keeps them apart: only marks of a lower class do not.
    private static func reaches(
        _ mark: Unicode.Scalar, behind last: Unicode.Scalar, isLetter: Bool
    ) -> Bool {
        isLetter || combiningClass(last) < combiningClass(mark)
    }

    /// Marks that follow one another in the order of their classes; those of one class keep theirs.
    private static func ordered(_ text: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in text {
            let rank = combiningClass(scalar)
            var place = result.count
            while rank > 0, place > 0, combiningClass(result[place - 1]) > rank { place -= 1 }
            result.insert(scalar, at: place)
        }
        return result
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        scalar.properties.canonicalCombiningClass.rawValue
    }

    /// The scalar that equals the two, unless it is one that the form leaves apart.
    private static func composite(
        _ letter: Unicode.Scalar, _ mark: Unicode.Scalar
    ) -> Unicode.Scalar? {
        if let syllable = syllable(letter.value, mark.value) { return Unicode.Scalar(syllable) }
        var pair = String(letter)
        pair.unicodeScalars.append(mark)
        for range in composites(of: letter.value) {
            for value in range {
                guard let scalar = Unicode.Scalar(value), String(scalar) == pair else { continue }
                return isLeftApart(value) ? nil : scalar
            }
        }
        return nil
    }

    /// The exclusions from composition: Indic letters with a dot below (UAX 15, CompositionExclusions.txt).
    private static func isLeftApart(_ value: UInt32) -> Bool {
        switch value {
        case 0x0958...0x095F, 0x09DC...0x09DF, 0x0A33, 0x0A36, 0x0A59...0x0A5E, 0x0B5C, 0x0B5D: true
        default: false
        }
    }

    /// The Korean syllables stand in the order of their letters (The Unicode Standard, 3.12).
    private static func syllable(_ letter: UInt32, _ mark: UInt32) -> UInt32? {
        switch (letter, mark) {
        case (0x1100...0x1112, 0x1161...0x1175):
            0xAC00 + ((letter - 0x1100) * 21 + mark - 0x1161) * 28
        case (0xAC00...0xD7A3, 0x11A8...0x11C2) where (letter - 0xAC00) % 28 == 0:
            letter + mark - 0x11A7
        default: nil
        }
    }

    /// Where the composites of a letter's script stand.
    private static func composites(of letter: UInt32) -> [Range<UInt32>] {
        switch letter {
        // Latin, Greek and Cyrillic.
        case 0..<0x0530, 0x1E00..<0x2000: [0xC0..<0x250, 0x370..<0x530, 0x1E00..<0x2000]
        case 0x0600..<0x0700: [0x0600..<0x0700]
        // Indic scripts, Burmese, Balinese, Japanese, and those of the next plane from Kaithi on.
        case 0x0900..<0x0E00: [0x0900..<0x0E00]
        case 0x1000..<0x10A0: [0x1000..<0x10A0]
        case 0x1B00..<0x1B80: [0x1B00..<0x1B80]
        case 0x3040..<0x3100: [0x3040..<0x3100]
        case 0x11080..<0x11600: [0x11080..<0x11600]
        default: []
        }
    }
}
