import Testing

@testable import HeartwireCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether a departure was told before the watch ended.
private func isTold(_ writer: DescriptorWriter) async -> Bool {
    for await _ in ReaderWatch.departure(from: writer) { return true }
    return false
}

@Suite("ReaderWatch", .timeLimit(.minutes(1)))
struct ReaderWatchTests {
    @Test("a reader that has gone, or goes, is told though nothing is written")
    func gone() async {
        let (early, late) = (TestPipe(), TestPipe())
        early.closeReadEnd()
        #expect(await isTold(early.writer))
        let task = Task { await isTold(late.writer) }
        late.closeReadEnd()
        #expect(await task.value)
        early.closeWriteEnd()
        late.closeWriteEnd()
    }

    @Test("who reads on has not gone, and the watch ends with whoever waits")
    func reading() async {
        let pipe = TestPipe()
        let task = Task { await isTold(pipe.writer) }
        pipe.feed([1])
        task.cancel()
        #expect(await !task.value)
        // The watch keeps no hold of the pipe: the end of what was written arrives.
        #expect(pipe.readToEnd() == [1])
        pipe.closeReadEnd()
    }

    @Test("a file has no reader who could go, and neither has what is no descriptor")
    func files() async {
        let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let task = Task { await isTold(DescriptorWriter(descriptor: file)) }
        task.cancel()
        #expect(await !task.value)
        close(file)
        #expect(await !isTold(DescriptorWriter(descriptor: 1_000_000)))
    }
}
