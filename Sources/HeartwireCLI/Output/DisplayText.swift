import HeartwireProtocol

/// `text` with everything escaped that could move a cursor, change a colour, hide or reorder what
/// stands beside it. Always one line.
///
/// Whatever comes from a peer or from the command line passes through here before a person sees it
/// (field case K12-09): a hostile server cannot send terminal escapes.
func displaySafe(_ text: String) -> String {
    DisplayText.escaped(text)
}

/// How many columns of a terminal `text` takes: none for combining marks, two for wide characters.
func displayWidth(_ text: String) -> Int {
    text.reduce(0) { $0 + columns($1) }
}

private func columns(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    // A sign such as U+2764 becomes a picture by the selector behind it.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return isWide(scalar.value) ? 2 : 1
}

/// The blocks whose characters are wide or fullwidth in Unicode UAX #11.
private func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD:
        true
    default: false
    }
}
