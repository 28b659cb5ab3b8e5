import Foundation
import Testing

/// How many clients come and go: few in CI, as many as are asked for by `make leak-check CYCLES=…`.
private let askedCycles = ProcessInfo.processInfo.environment["HEARTWIRE_CYCLES"]
    .flatMap { Int($0) }

@Suite("The leak check", .serialized, .timeLimit(.minutes(10)))
struct LeakTests {
    /// How much the memory may grow after the first fifth of the cycles, which fills caches and pools.
    private static let growthLimitKiB = 1_024

    @Test("K09-06: clients that come and go in twelve ways leave no object, socket, timer or task")
    func census() async throws {
        let world = try LeakWorld()
        let before = try await world.settled()
        for number in 0..<120 {
            try await world.live(LeakWorld.Cycle.allCases[number % LeakWorld.Cycle.allCases.count])
        }
        let after = try await world.settled()
        for kind in LeakCensus.Kind.allCases {
            #expect(world.census.living(kind) == 0, "\(kind.rawValue)")
        }
        #expect(after.living == 0)
        #expect(after.watched == before.watched)
        #expect(after.timers == 0)
        #expect(after.tasks == 0)
        await world.shutdown()
    }

    @Test("K09-06: the census sees what is held")
    func sabotage() async throws {
        let world = try LeakWorld()
        try await world.live(.closed)
        let object = LeakCensus()
        world.census.note(object, .client)
        let figures = try await world.settled(within: .milliseconds(200))
        #expect(figures.living >= 1)
        #expect(world.census.living(.client) == 1)
        withExtendedLifetime(object) {}
        await world.shutdown()
    }

    /// Alone in its process, so that it can count descriptors and memory too: `make leak-check`.
    @Test(
        "K09-06: ten thousand clients leave no descriptor, and the memory stays where it was",
        .enabled(if: askedCycles != nil))
    func plateau() async throws {
        let world = try LeakWorld()
        let cycles = max(askedCycles ?? 0, 100)
        var figures = [try await world.settled()]
        print("cycle    resident KiB  descriptors  watched  timers  tasks  objects")
        Self.show(0, figures[0])
        for number in 1...cycles {
            try await world.live(LeakWorld.Cycle.allCases[number % LeakWorld.Cycle.allCases.count])
            guard number.isMultiple(of: cycles / 5) else { continue }
            let now = try await world.settled()
            Self.show(number, now)
            figures.append(now)
        }
        let (first, warm) = (figures[0], figures[1])
        for now in figures.dropFirst() {
            #expect(now.descriptors <= warm.descriptors)
            #expect(now.watched == first.watched)
            #expect(now.timers == 0)
            #expect(now.tasks == 0)
            #expect(now.living == 0)
            #expect(now.residentKiB <= warm.residentKiB + Self.growthLimitKiB)
        }
        await world.shutdown()
    }

    private static func show(_ cycle: Int, _ figures: LeakWorld.Figures) {
        print(
            cycle, figures.residentKiB, figures.descriptors, figures.watched, figures.timers,
            figures.tasks, figures.living, separator: "\t")
    }
}
