import Testing

@testable import Heartwire

@Suite("A task that can be cancelled before it is known", .timeLimit(.minutes(1)))
struct TaskHandleTests {
    private func sleeper() -> Task<Bool, Never> {
        Task {
            while !Task.isCancelled { await Task.yield() }
            return true
        }
    }

    @Test("Cancelled before it is adopted, a task is cancelled then")
    func early() async {
        let handle = TaskHandle<Bool>()
        handle.cancel()
        let task = sleeper()
        handle.adopt(task)
        #expect(await task.value)
    }

    @Test("Cancelled afterwards, it is cancelled at once")
    func late() async {
        let handle = TaskHandle<Bool>()
        let task = sleeper()
        handle.adopt(task)
        #expect(!task.isCancelled)
        handle.cancel()
        #expect(await task.value)
    }
}
