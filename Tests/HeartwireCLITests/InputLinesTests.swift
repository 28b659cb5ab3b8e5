import Testing

@testable import HeartwireCLI

private func lines(
    of text: [UInt8], limit: Int = 2_000_000, chunk: Int = 65_536
) async -> (lines: [[UInt8]], error: InputError?) {
    let pipe = TestPipe()
    pipe.feed(text)
    var taken: [[UInt8]] = []
    var problem: InputError?
    let reader = ChunkReader(descriptor: pipe.readEnd, size: chunk)
    do throws(InputError) {
        for try await line in InputLines(reader, maximumLineBytes: limit) { taken.append(line) }
    } catch {
        problem = error
    }
    pipe.closeReadEnd()
    return (taken, problem)
}

@Suite("InputLines")
struct InputLinesTests {
    @Test("K12-05: one line of 1,000,000 bytes without an end is one line")
    func million() async {
        let text = [UInt8](repeating: 0x78, count: 1_000_000)
        let (taken, error) = await lines(of: text)
        #expect(taken == [text])
        #expect(error == nil)
    }

    @Test("K12-05: ten lines of 70,000 bytes are ten lines")
    func ten() async {
        let line = [UInt8](repeating: 0x79, count: 70_000)
        let (taken, error) = await lines(
            of: Array((0..<10).map { _ in line }.joined(separator: [10])))
        #expect(taken == Array(repeating: line, count: 10))
        #expect(error == nil)
    }

    @Test("K12-05: a line over the limit is an error behind the good lines")
    func overLimit() async {
        let (taken, error) = await lines(of: Array("ok\n123456\nok\n".utf8), limit: 5)
        #expect(taken == [Array("ok".utf8)])
        #expect(error == .lineTooLong(line: 2, limit: 5))
        #expect(error?.description == "line 2 of the input has more than 5 bytes: raise --max-line")
    }

    @Test("reading byte by byte gives the same lines")
    func bytewise() async {
        let (taken, _) = await lines(of: Array("a\nbc\n\nd".utf8), chunk: 1)
        #expect(taken == [Array("a".utf8), Array("bc".utf8), [], Array("d".utf8)])
    }

    @Test("what is there and was not asked for is counted, an input that goes on in part")
    func rest() {
        for (input, chunk, loss) in [
            ("", 9, nil), ("a\nb\n", 9, "2 lines"), ("a\nb", 9, "2 lines"),
            ("a\nb\n", 2, "at least 1 line"), ("a", 1, "1 line"),
        ] as [(String, Int, String?)] {
            let pipe = TestPipe()
            pipe.fill(Array(input.utf8))
            let lines = InputLines(
                ChunkReader(descriptor: pipe.readEnd, size: chunk), maximumLineBytes: 5)
            lines.countRest()
            #expect(lines.ledger.loss == loss.map { "\($0) of the input could not be sent" })
        }
        // Nothing is there, and nothing is waited for.
        let open = TestPipe()
        let lines = InputLines(ChunkReader(descriptor: open.readEnd), maximumLineBytes: 5)
        lines.countRest()
        #expect(lines.ledger.loss == nil)
    }

    @Test("what was read to its end has no rest")
    func noRest() async throws {
        let pipe = TestPipe()
        pipe.feed(Array("a\n".utf8))
        let lines = InputLines(ChunkReader(descriptor: pipe.readEnd), maximumLineBytes: 5)
        for try await _ in lines { lines.ledger.note(.sent(endedBefore: 0)) }
        lines.countRest()
        #expect(lines.ledger.loss == nil)
    }

    @Test("a sequence that threw is over")
    func afterError() async throws {
        let iterator = InputLines(ChunkReader(descriptor: -1), maximumLineBytes: 5)
            .makeAsyncIterator()
        var mutable = iterator
        await #expect(throws: InputError.failed(9)) { try await mutable.next() }
        #expect(try await mutable.next() == nil)
    }

    @Test("the lines end when the task that takes them is cancelled, though the input does not")
    func cancellation() async {
        let pipe = TestPipe()
        let taking = Task {
            var count = 0
            do throws(InputError) {
                for try await _ in InputLines(
                    ChunkReader(descriptor: pipe.readEnd), maximumLineBytes: 5)
                {
                    count += 1
                }
            } catch {
                count = -1
            }
            return count
        }
        taking.cancel()
        #expect(await taking.value == 0)
        pipe.closeWriteEnd()
    }

    @Test("each error says which line it is about and what to do")
    func descriptions() {
        #expect(
            InputError.notUTF8(line: 7).description
                == "line 7 of the input is not UTF-8 and cannot be a text message: try --binary")
        #expect(InputError.failed(5).description == "cannot read the input: \(systemErrorText(5))")
    }
}

@Suite("ChunkReader")
struct ChunkReaderTests {
    @Test("what was read for a cancelled task is kept for the next one")
    func kept() async throws {
        let pipe = TestPipe()
        let reader = ChunkReader(descriptor: pipe.readEnd)
        let first = Task { await reader.next() }
        // Either the task never asked, or its read is under way: both must lose nothing.
        first.cancel()
        #expect(await first.value == .cancelled)
        try pipe.writer.write("abc")
        #expect(await reader.next() == .bytes(Array("abc".utf8)))
        pipe.closeWriteEnd()
        #expect(await reader.next() == .end)
        pipe.closeReadEnd()
    }

    @Test("one asks at a time: a second one is told so at once")
    func second() async {
        let pipe = TestPipe()
        let reader = ChunkReader(descriptor: pipe.readEnd)
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await reader.next() } }
            // Whichever came second has its answer before anything was written.
            #expect(await group.next() == .cancelled)
            try? pipe.writer.write("x")
            #expect(await group.next() == .bytes([0x78]))
        }
        pipe.closeWriteEnd()
        pipe.closeReadEnd()
    }

    @Test("nothing is read until somebody asks")
    func pull() async throws {
        let pipe = TestPipe()
        let reader = ChunkReader(descriptor: pipe.readEnd, size: 4)
        try pipe.writer.write("abcdefgh")
        #expect(await reader.next() == .bytes(Array("abcd".utf8)))
        pipe.closeWriteEnd()
        #expect(pipe.readToEnd() == Array("efgh".utf8))
        pipe.closeReadEnd()
    }
}
