import Testing

@testable import HeartwireCLI

@Suite("PatientWriter")
struct PatientWriterTests {
    @Test("short and long pieces arrive whole and in order")
    func order() async throws {
        let pipe = TestPipe()
        let writer = PatientWriter(pipe.writer)
        let writing = Task {
            for size in [1, 100_000, 2, 600, 512, 300_000] {
                try await writer.write([UInt8](repeating: UInt8(size % 251), count: size))
            }
            pipe.closeWriteEnd()
        }
        let reader = ChunkReader(descriptor: pipe.readEnd)
        var arrived: [UInt8] = []
        while case .bytes(let piece) = await reader.next() { arrived += piece }
        try await writing.value
        pipe.closeReadEnd()
        let expected = [1, 100_000, 2, 600, 512, 300_000].flatMap { size in
            [UInt8](repeating: UInt8(size % 251), count: size)
        }
        #expect(arrived == expected)
    }

    @Test("a reader that has gone is told, for short and for long pieces", arguments: [1, 100_000])
    func readerGone(size: Int) async {
        let pipe = TestPipe()
        pipe.closeReadEnd()
        await #expect(throws: OutputError.readerGone) {
            try await PatientWriter(pipe.writer).write([UInt8](repeating: 0, count: size))
        }
        pipe.closeWriteEnd()
    }
}
