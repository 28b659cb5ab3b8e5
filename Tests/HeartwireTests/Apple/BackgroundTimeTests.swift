import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// Gives time, or none, and takes it away when it is told to.
private final class ScriptedTime: BackgroundTime {
    private struct State {
        var expired: (@Sendable () -> Void)?
        var isOver: Bool
        var ended: [Int] = []
    }

    private let state: Locked<State>
    private let isGiving: Bool

    init(isGiving: Bool = true, expiresAtOnce: Bool = false) {
        self.isGiving = isGiving
        state = Locked(State(isOver: expiresAtOnce))
    }

    var ended: [Int] { state.withLock { $0.ended } }

    nonisolated(nonsending) func begin(_ name: String, expired: @escaping @Sendable () -> Void)
        async -> Int?
    {
        guard isGiving else { return nil }
        let isOver = state.withLock { state in
            state.expired = expired
            return state.isOver
        }
        if isOver { expired() }
        return 7
    }

    nonisolated(nonsending) func end(_ request: Int) async {
        state.withLock { $0.ended.append(request) }
    }

    func expire() {
        let expired = state.withLock { state in
            state.isOver = true
            return state.expired
        }
        expired?()
    }
}

@Suite("D6: a shutdown in borrowed time", .timeLimit(.minutes(3)))
struct BackgroundTimeTests {
    /// Shuts a client down whose message is never confirmed, and gives what was left and after what time the
    /// connection was closed.
    private func shutdown(
        _ time: ScriptedTime, grace: Duration, expiringAfter delay: Duration? = nil
    ) async throws -> (left: Int, took: Duration) {
        let world = try ClientWorld(.virtual)
        return try await world.run { world in
            let watched = try world.makeClient("pong=off") {
                $0.outbox = .memory
                $0.heartbeat = nil
            }
            let client = watched.client
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("never confirmed"))
            let begun = world.executor.now()
            let work = Task(executorPreference: world.executor.taskExecutor) {
                await client.shutdown(grace: grace, within: time)
            }
            if let delay {
                await world.sleep(for: delay)
                time.expire()
            }
            let report = await work.value
            _ = await watched.log.wait(.seconds(30)) { !$0.closes.isEmpty }
            let end = try #require(watched.log.closes.last)
            #expect(await world.windUp() == nil)
            return (report.left.count, begun.duration(to: end.time))
        }
    }

    @Test("D6: time that is given is given back once, when the shutdown is through")
    func enough() async throws {
        let time = ScriptedTime()
        let end = try await shutdown(time, grace: .milliseconds(200))
        #expect(end.left == 1)
        #expect(end.took >= .milliseconds(200))
        #expect(time.ended == [7])
    }

    @Test("D6: when the time runs out nothing more is waited for, and it is given back once")
    func expired() async throws {
        let time = ScriptedTime()
        let end = try await shutdown(
            time, grace: .seconds(600), expiringAfter: .milliseconds(50))
        #expect(end.left == 1)
        #expect(end.took < .seconds(300))
        #expect(time.ended == [7])
    }

    @Test("D6: time that runs out before the shutdown has begun ends it at once, too")
    func expiredAtOnce() async throws {
        let time = ScriptedTime(expiresAtOnce: true)
        let end = try await shutdown(time, grace: .seconds(600))
        #expect(end.took < .seconds(300))
        #expect(time.ended == [7])
    }

    @Test("D6: where the system gives no time the shutdown runs without, and nothing is given back")
    func none() async throws {
        let time = ScriptedTime(isGiving: false)
        let end = try await shutdown(time, grace: .milliseconds(50))
        #expect(end.left == 1)
        #expect(time.ended.isEmpty)
    }
}
