import Testing

@testable import HeartwireCLI

@Suite("DescriptorWriter")
struct DescriptorWriterTests {
    @Test("what is larger than the pipe is written whole")
    func large() async {
        let pipe = TestPipe()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let reader = ChunkReader(descriptor: pipe.readEnd)
        pipe.feed(bytes)
        var arrived: [UInt8] = []
        while case .bytes(let piece) = await reader.next() { arrived += piece }
        pipe.closeReadEnd()
        #expect(arrived == bytes)
    }

    @Test("a descriptor that somebody made non-blocking is waited for, on both sides")
    func nonBlocking() async {
        let pipe = TestPipe()
        pipe.makeNonBlocking()
        let bytes = [UInt8](repeating: 7, count: 500_000)
        let reader = ChunkReader(descriptor: pipe.readEnd)
        // Asks before anything is there, so that the read has to wait.
        async let first = reader.next()
        pipe.feed(bytes)
        var arrived: [UInt8] = []
        if case .bytes(let piece) = await first { arrived = piece }
        while case .bytes(let piece) = await reader.next() { arrived += piece }
        pipe.closeReadEnd()
        #expect(arrived == bytes)
    }

    @Test("a reader that has gone is told apart from a failure")
    func readerGone() {
        let pipe = TestPipe()
        pipe.closeReadEnd()
        #expect(throws: OutputError.readerGone) { try pipe.writer.write("x") }
        pipe.closeWriteEnd()
    }

    @Test("a descriptor that is not open is a failure with the system's number")
    func notOpen() {
        let writer = DescriptorWriter(descriptor: -1)
        #expect(throws: OutputError.failed(9)) { try writer.write("x") }
        #expect(
            printed("x", to: writer) == .failed("cannot write the output: \(systemErrorText(9))"))
        writer.writeDiagnostic("nobody hears this")
    }

    @Test("nothing is written for nothing")
    func empty() throws {
        try DescriptorWriter(descriptor: -1).write("")
    }

    @Test("K12-09: a diagnostic is one line, whatever it quotes")
    func diagnostic() {
        let pipe = TestPipe()
        pipe.writer.writeDiagnostic("closed by the peer: 4400 \u{1B}[2J\nbad json")
        #expect(pipe.finish() == "closed by the peer: 4400 \\u{1b}[2J\\nbad json\n")
    }

    @Test("a report is written to its file, and a failure names the file")
    func file() {
        #expect(ReportFile.write("x", to: "/dev/null") == .done)
        let full = ReportFile.write("x", to: "/dev/full")
        #expect(full == .failed("cannot write /dev/full: \(systemErrorText(28))"))
        let failed = ReportFile.write("x", to: "/nowhere/report.json")
        #expect(failed == .failed("cannot write /nowhere/report.json: \(systemErrorText(2))"))
    }
}
