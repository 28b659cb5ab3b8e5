import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

@Suite("PathSubscribers: who hears of paths")
struct PathSubscribersTests {
    @Test(
        "L3: those of the loop hear at once, others in their own domain, and who has left does not")
    func report() async throws {
        let loop = EventLoop(name: "paths")
        defer { loop.shutdown() }
        let other = VirtualExecutor()
        let heard = Log<String>()
        try await on(loop) {
            var subscribers = PathSubscribers()
            #expect(subscribers.isEmpty)
            let here = PathSubscriber(loop) { heard.add("here \($0)") }
            let there = PathSubscriber(other) { heard.add("there \($0)") }
            let gone = PathSubscriber(loop) { _ in heard.add("gone") }
            for subscriber in [here, there, gone] { subscribers.add(subscriber) }
            subscribers.remove(gone)
            subscribers.report(.usable, on: loop)
            #expect(heard.entries == ["here usable"])
            subscribers.remove(here)
            #expect(!subscribers.isEmpty)
        }
        other.runUntilIdle()
        #expect(heard.entries == ["here usable", "there usable"])
    }
}
