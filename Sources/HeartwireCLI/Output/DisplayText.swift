/// `text` with everything escaped that could move a cursor, change a colour, hide or reorder what
/// stands beside it: control characters, line separators and the marks of bidirectional writing.
///
/// Whatever comes from a peer or from the command line passes through here before a person sees it
/// (field case K12-09): a hostile server cannot send terminal escapes. Always one line.
func displaySafe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafeToShow) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": safe += "\\n"
        case "\r": safe += "\\r"
        case "\t": safe += "\\t"
        case _ where isUnsafeToShow(scalar):
            safe += "\\u{\(String(scalar.value, radix: 16))}"
        default: safe.unicodeScalars.append(scalar)
        }
    }
    return safe
}

/// The same for bytes that may not be text: what is not UTF-8 becomes U+FFFD.
func displaySafe(bytes: some Collection<UInt8>) -> String {
    displaySafe(String(decoding: bytes, as: UTF8.self))
}

private func isUnsafeToShow(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // Directional marks, embeddings, overrides and isolates (Unicode UAX #9).
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
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
