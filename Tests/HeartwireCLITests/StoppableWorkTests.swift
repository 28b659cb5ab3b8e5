import Testing

@testable import HeartwireCLI

@Suite("StoppableWork")
struct StoppableWorkTests {
    @Test("work that no signal stops ends as it ends")
    func undisturbed() async {
        #expect(await stoppable(watch: { _ in }, { .failed("x") }) == .failed("x"))
    }

    @Test("K12-07: a signal cancels the work, waits for its orderly end and gives its own status")
    func stopped() async {
        let (cancelled, sink) = AsyncStream.makeStream(of: Bool.self)
        let end = await stoppable(watch: { $0(.interrupt) }) {
            // Ends only by cancellation.
            try? await Task.sleep(for: .seconds(3600))
            sink.yield(Task.isCancelled)
            return .failed("cut short")
        }
        #expect(end == .stopped(.interrupt))
        #expect(await cancelled.first { _ in true } == true)
    }
}
