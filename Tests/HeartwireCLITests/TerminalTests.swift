import Testing

@testable import HeartwireCLI

@Suite("Terminal")
struct TerminalTests {
    @Test("colours are used on a terminal unless NO_COLOR is set to something")
    func colours() {
        #expect(Terminal(isTerminal: true, noColor: nil, term: "xterm").isColoured)
        #expect(Terminal(isTerminal: true, noColor: "", term: nil).isColoured)
        #expect(!Terminal(isTerminal: true, noColor: "1", term: "xterm").isColoured)
        #expect(!Terminal(isTerminal: false, noColor: nil, term: "xterm").isColoured)
    }

    @Test("a dumb terminal is sent no sequences")
    func dumb() {
        let terminal = Terminal(isTerminal: true, noColor: nil, term: "dumb")
        #expect(!terminal.isInteractive && !terminal.isColoured)
    }

    @Test("NO_COLOR says nothing about the progress line")
    func progress() {
        #expect(Terminal(isTerminal: true, noColor: "1", term: nil).isInteractive)
    }

    @Test("a pipe is no terminal")
    func pipe() {
        let pipe = TestPipe()
        #expect(!Terminal(descriptor: pipe.writeEnd).isInteractive)
        _ = pipe.finish()
    }
}

@Suite("ProgressLine")
struct ProgressLineTests {
    @Test("where there is no terminal nothing is written")
    func hidden() {
        let pipe = TestPipe()
        var line = ProgressLine(writer: pipe.writer, isShown: false)
        line.show("working")
        line.erase()
        #expect(pipe.finish() == "")
    }

    @Test("the line is written over and leaves nothing behind")
    func shown() {
        let pipe = TestPipe()
        var line = ProgressLine(writer: pipe.writer, isShown: true)
        line.show("one")
        line.show("two")
        line.erase()
        line.erase()
        let clear = ProgressLine.erasure
        #expect(pipe.finish() == "\(clear)one\(clear)two\(clear)")
    }

    @Test("the line is cut by columns, so that it cannot wrap, and escaped")
    func cut() {
        let pipe = TestPipe()
        var line = ProgressLine(writer: pipe.writer, isShown: true, width: 5)
        line.show("a世界世\n")
        #expect(pipe.finish() == ProgressLine.erasure + "a世界")
    }
}
