import Testing

@testable import Heartwire

@Suite("S4: what a subscriber asks for", .timeLimit(.minutes(1)))
struct DemandFeedTests {
    /// Takes as many as the feed allows up to a limit, and answers how many that were.
    private func taken(from feed: DemandFeed, limit: Int) async -> Int {
        var count = 0
        while count < limit, await feed.next() { count += 1 }
        return count
    }

    @Test("S4: so many elements go out as were asked for, then the producer waits")
    func counted() async {
        let feed = DemandFeed()
        feed.ask(for: 2)
        feed.ask(for: 1)
        #expect(await taken(from: feed, limit: 3) == 3)
        let waiting = Task { await feed.next() }
        feed.ask(for: 0)
        feed.ask(for: -5)
        await Task.yield()
        feed.ask(for: 1)
        #expect(await waiting.value)
    }

    @Test("S4: who asks for all gets all, whatever is asked for afterwards")
    func unlimited() async {
        let feed = DemandFeed()
        feed.ask(for: nil)
        feed.ask(for: 1)
        #expect(await taken(from: feed, limit: 1_000) == 1_000)
    }

    @Test("S4: more than can be counted is all")
    func overflow() async {
        let feed = DemandFeed()
        feed.ask(for: .max)
        feed.ask(for: .max)
        #expect(await taken(from: feed, limit: 10) == 10)
    }

    @Test("S4: a subscriber that cancels ends the producer, whether it waits or not")
    func cancelled() async {
        let feed = DemandFeed()
        let waiting = Task { await feed.next() }
        await Task.yield()
        feed.cancel()
        #expect(await !waiting.value)
        feed.ask(for: nil)
        #expect(await taken(from: feed, limit: 10) == 0)
    }
}
