import Heartwire
import HeartwireSocket
import HeartwireTesting
import Observation
import Testing

@testable import ChatModel

@Suite("A chat over a room (real time)", .timeLimit(.minutes(1)))
@MainActor
struct ChatSessionTests {
    private let loop: EventLoop
    private let endpoint: Endpoint
    private let url: String

    init() throws {
        let loop = EventLoop(name: "room")
        let endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        let listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        (self.loop, self.endpoint) = (loop, endpoint)
        url = "ws://127.0.0.1:\(listener.port)/?echo=all"
    }

    /// Waits until what a session shows satisfies a condition, woken by observation alone.
    private func until(_ condition: @MainActor () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let holds = withObservationTracking {
                condition()
            } onChange: {
                change.yield()
            }
            if holds || Task.isCancelled { return }
            for await _ in changes { break }
        }
    }

    private func texts(_ session: ChatSession) -> [String] { session.room.lines.map(\.text) }

    private func isHeard(_ session: ChatSession) -> Bool {
        session.room.marks.values.allSatisfy { $0 == .heard }
    }

    @Test("what is said before the other comes, and while all connections are reset, arrives once")
    func talk() async throws {
        let news = News()
        let alice = try ChatSession(url, as: "alice")
        let bob = try ChatSession(url, as: "bob") { news.all.append($0) }
        let running = [Task { await alice.run() }]
        try await alice.say("is anybody here?")
        await until { alice.room.marks == [1: .sent] }
        let both = running + [Task { await bob.run() }]
        await until { texts(bob) == ["is anybody here?"] && isHeard(alice) }
        #expect(alice.room.people == [bob.room.me])

        loop.execute { [endpoint] in endpoint.dropAll() }
        try await bob.say("me")
        try await alice.say("good")
        await until { texts(alice).count == 3 && texts(bob).count == 3 }
        await until { isHeard(alice) && isHeard(bob) }
        #expect(Set(texts(alice)) == ["is anybody here?", "me", "good"])
        #expect(Set(texts(bob)) == Set(texts(alice)))

        #expect(await alice.end() == 0)
        await until { bob.room.people.isEmpty }
        #expect(await bob.end() == 0)
        for task in both { await task.value }
        #expect(news.all.contains(.joined(alice.room.me)))
        #expect(news.all.contains(.left(alice.room.me)))
        #expect(
            bob.state
                == .stopped(.disconnected(.closedByApp(sent: 1000, answer: PeerClose(code: 1000)))))
        loop.execute { [loop] in loop.shutdown() }
    }

    @Test("a server that lets nobody in ends the chat, and what was said is told to be unheard")
    func refused() async throws {
        let session = try ChatSession(url.replacing("echo=all", with: "refuse=403"), as: "alice")
        try await session.say("hello?")
        await session.run()
        guard case .stopped(.refusedToRetry(.refused)) = session.state else {
            Issue.record("the state is \(session.state)")
            return
        }
        #expect(await session.end() == 1)
        await #expect(throws: DeliveryError.shutDown) { try await session.say("again") }
        loop.execute { [loop] in loop.shutdown() }
    }

    @Test("a run that is cancelled comes back, and its session can still leave")
    func cancelled() async throws {
        let session = try ChatSession(url, as: "alice")
        let running = Task { await session.run() }
        await until { if case .open = session.state { true } else { false } }
        running.cancel()
        await running.value
        #expect(await session.end() == 0)
        loop.execute { [loop] in loop.shutdown() }
    }

    @Test("a URL that cannot be connected to is refused when the chat is made")
    func wrongURL() {
        #expect(throws: WebSocketURLError.self) { try ChatSession("http://h/", as: "alice") }
    }

    @MainActor
    private final class News {
        var all: [ChatNews] = []
    }
}
