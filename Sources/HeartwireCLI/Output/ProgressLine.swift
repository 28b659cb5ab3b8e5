/// One line on the standard error that is written over and over and leaves nothing behind. Writes nothing at
/// all where there is no terminal.
struct ProgressLine {
    private let writer: DescriptorWriter
    private let isShown: Bool
    private let width: Int
    private var isDrawn = false

    /// Takes the line back and leaves the cursor where it began.
    static let erasure = "\r\u{1B}[2K"

    /// A line of at most `width` columns on `writer`, shown when `isShown`.
    init(writer: DescriptorWriter, isShown: Bool, width: Int = 78) {
        self.writer = writer
        self.isShown = isShown
        self.width = width
    }

    /// Shows `text`, cut to the width so that it cannot wrap, in place of what was shown.
    mutating func show(_ text: String) {
        guard isShown else { return }
        isDrawn = true
        try? writer.write(Self.erasure + Self.cut(displaySafe(text), to: width))
    }

    /// Takes the line away. Needed before anything else is written.
    mutating func erase() {
        guard isDrawn else { return }
        isDrawn = false
        try? writer.write(Self.erasure)
    }

    private static func cut(_ text: String, to width: Int) -> String {
        var taken = ""
        var columns = 0
        for character in text {
            columns += displayWidth(String(character))
            if columns > width { return taken }
            taken.append(character)
        }
        return taken
    }
}
