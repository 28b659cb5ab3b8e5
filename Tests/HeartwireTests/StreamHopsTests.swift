import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// A consumer in the domain takes what waits without giving way: nothing else that is ready there runs before it has
/// taken all of it. That is told by a job that is made ready ahead of the first look.
@Suite("Consumers that prefer the client's executor", .serialized, .timeLimit(.minutes(1)))
struct StreamHopsTests {
    /// Which sequence is read.
    enum View: CaseIterable, Sendable {
        case messages, texts, binaries, decoded, dropping, failing, failingTexts, events
    }

    /// Touched on the loop only.
    private final class Witness: @unchecked Sendable {
        var otherRan = false
        var isInDomain = true
        var taken = 0
    }

    private static let count = 20

    /// Takes what waits, on the loop.
    private static func read<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, _ world: TCPWorld, _ witness: Witness
    ) async {
        let loop = world.loop
        let iterator = elements.makeAsyncIterator()
        arrive(world)
        loop.execute { witness.otherRan = true }
        await take(iterator, loop, witness)
    }

    private static func take<Iterator: AsyncIteratorProtocol>(
        _ iterator: Iterator, _ loop: EventLoop, _ witness: Witness
    ) async {
        var iterator = iterator
        for _ in 0..<count {
            guard (try? await iterator.next(isolation: #isolation)) != nil else { return }
            witness.isInDomain = witness.isInDomain && loop.isCurrent && !witness.otherRan
            witness.taken += 1
        }
    }

    /// As when one read has brought many messages.
    private static func arrive(_ world: TCPWorld) {
        let observer = world.transports.made.last?.observer
        for number in 0..<count {
            observer?.transportReceived(Generation(1), .text("\(number)"))
            observer?.transportReceived(Generation(1), .binary([1]))
        }
        observer?.transportFinishedBatch(Generation(1))
    }

    @Test("T5, S1, S2, S6: no view has a hop for an element that waits", arguments: View.allCases)
    func noHop(_ view: View) async throws {
        let world = try TCPWorld()
        let client = try world.client()
        await client.connect()
        try await client.waitUntilOpen()
        let witness = Witness()
        let bounds = BufferBounds()
        await Task(executorPreference: client.executor) {
            let messages = client.messages
            switch view {
            case .messages: await Self.read(messages, world, witness)
            case .texts: await Self.read(messages.texts, world, witness)
            case .binaries: await Self.read(messages.binaries, world, witness)
            case .decoded:
                await Self.read(messages.decoded { $0.byteCount }, world, witness)
            case .dropping:
                await Self.read(messages.droppingOldest(beyond: bounds), world, witness)
            case .failing: await Self.read(messages.failing(beyond: bounds), world, witness)
            case .failingTexts:
                await Self.read(messages.failing(beyond: bounds).texts, world, witness)
            case .events: await Self.read(client.events, world, witness)
            }
        }.value
        let (taken, stayed) = await world.on { _ in (witness.taken, witness.isInDomain) }
        #expect(taken == Self.count)
        #expect(stayed)
        await client.disconnect()
        await world.shutdown()
    }
}
