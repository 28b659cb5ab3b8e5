import Dispatch
import HeartwireSocket
import Testing

@testable import HeartwireCLI

/// What a sink reported, for two threads.
private final class Failures: Sendable {
    let seen = Locked<[OutputError]>([])
    var all: [OutputError] { seen.withLock { $0 } }
}

private func makeSink(
    _ writer: DescriptorWriter, isHeld: Bool = false
) -> (LineSink, Failures) {
    let failures = Failures()
    let sink = LineSink(writer, isHeld: isHeld) { error in failures.seen.withLock { $0 += [error] }
    }
    return (sink, failures)
}

@Suite("LineSink")
struct LineSinkTests {
    @Test("lines are written in order, each with its end")
    func order() async {
        let pipe = TestPipe()
        let (sink, failures) = makeSink(pipe.writer)
        for number in 0..<1_000 { sink.append("\(number)") }
        await sink.finish(within: .seconds(10))
        #expect(pipe.finish() == (0..<1_000).map { "\($0)\n" }.joined())
        #expect(failures.all == [])
    }

    @Test("held lines wait until they are released")
    func held() async throws {
        let pipe = TestPipe()
        let (sink, _) = makeSink(pipe.writer, isHeld: true)
        sink.append("second")
        try pipe.writer.write("first\n")
        sink.release()
        await sink.finish(within: .seconds(10))
        #expect(pipe.finish() == "first\nsecond\n")
    }

    @Test("what is too much is dropped, and the count stands in its place")
    func bound() async {
        let pipe = TestPipe()
        let (sink, _) = makeSink(pipe.writer, isHeld: true)
        let long = String(repeating: "x", count: LineSink.maximumWaitingBytes)
        sink.append(long)
        sink.append("lost")
        sink.append("lost")
        let reading = Task { pipe.readToEnd() }
        await sink.finish(within: .seconds(10))
        sink.append("behind")
        await sink.finish(within: .seconds(10))
        pipe.closeWriteEnd()
        let text = String(decoding: await reading.value, as: UTF8.self)
        #expect(text == long + "\n{\"dropped_lines\":2}\nbehind\n")
        pipe.closeReadEnd()
    }

    @Test("a reader that has gone is reported once, and nothing is written any more")
    func gone() async {
        let pipe = TestPipe()
        pipe.closeReadEnd()
        let (sink, failures) = makeSink(pipe.writer)
        sink.append("a")
        await sink.finish(within: .seconds(10))
        sink.append("b")
        await sink.finish(within: .seconds(10))
        #expect(failures.all == [.readerGone])
        pipe.closeWriteEnd()
    }

    @Test("K12-07: a reader that has stopped reading does not hold up the end")
    func stopped() async {
        let pipe = TestPipe()
        let (sink, failures) = makeSink(pipe.writer)
        sink.append(String(repeating: "x", count: 200_000))
        await sink.finish(within: .milliseconds(1))
        #expect(failures.all == [])
        pipe.closeReadEnd()
        await sink.finish(within: .seconds(10))
        pipe.closeWriteEnd()
    }
}
