import Testing

@testable import HeartwireCLI

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("LineSplitter")
struct LineSplitterTests {
    @Test("a line ends with LF, and a CR before it is part of the line")
    func ends() {
        var splitter = LineSplitter(maximumBytes: 100)
        let (lines, isTooLong) = splitter.append(bytes("a\r\n\nb"))
        #expect(lines == [bytes("a\r"), []])
        #expect(!isTooLong)
        #expect(splitter.finish() == bytes("b"))
        #expect(splitter.count == 3)
    }

    @Test("an input that ends with LF has no line behind it, and an empty one has none at all")
    func emptyEnd() {
        var splitter = LineSplitter(maximumBytes: 100)
        #expect(splitter.finish() == nil)
        #expect(splitter.append(bytes("a\n")).lines == [bytes("a")])
        #expect(splitter.finish() == nil)
    }

    @Test("K12-05: the lines are the same wherever the pieces begin and end", arguments: 1...7)
    func pieces(size: Int) {
        let text = bytes("first\n\nthird is longer\r\nlast")
        var splitter = LineSplitter(maximumBytes: 20)
        var lines: [[UInt8]] = []
        for start in stride(from: 0, to: text.count, by: size) {
            lines += splitter.append(Array(text[start..<min(start + size, text.count)])).lines
        }
        if let last = splitter.finish() { lines.append(last) }
        #expect(lines == [bytes("first"), [], bytes("third is longer\r"), bytes("last")])
    }

    @Test("K12-05: a line of exactly the limit passes, one byte more is an error and never a cut")
    func limit() {
        var splitter = LineSplitter(maximumBytes: 3)
        #expect(splitter.append(bytes("abc\n")).lines == [bytes("abc")])
        let (lines, isTooLong) = splitter.append(bytes("ok\nabcd\nno\n"))
        #expect(lines == [bytes("ok")])
        #expect(isTooLong)
        #expect(splitter.count == 2)
        let (later, stillTooLong) = splitter.append(bytes("x\n"))
        #expect(later.isEmpty && stillTooLong)
        #expect(splitter.finish() == nil)
    }

    @Test("K12-05: the limit is seen before the line's end is")
    func limitWithoutEnd() {
        var splitter = LineSplitter(maximumBytes: 3)
        #expect(!splitter.append(bytes("abc")).isTooLong)
        #expect(splitter.append(bytes("d")).isTooLong)
    }
}
