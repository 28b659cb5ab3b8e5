import Dispatch
import Testing

@testable import HeartwireSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Locked: a value for one thread at a time")
struct LockedTests {
    /// A value that cannot be copied and says when it goes.
    struct Unique: ~Copyable {
        var number: Int
        let gone: @Sendable (Int) -> Void

        deinit { gone(number) }
    }

    struct Refused: Error, Equatable {
        let number: Int
    }

    @Test("Eight threads that count together lose no step")
    func contention() {
        let steps = 20_000
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<steps { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8 * steps)
    }

    @Test("While one thread is inside, no other sees what it has half done")
    func exclusivity() {
        struct Pair {
            var first = 0
            var second = 0
        }
        let pair = Locked(Pair())
        let torn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for step in 1...5_000 {
                let isTorn = pair.withLock { pair in
                    let isTorn = pair.first != pair.second
                    pair.first = worker * 10_000 + step
                    pair.second = worker * 10_000 + step
                    return isTorn
                }
                if isTorn { torn.withLock { $0 += 1 } }
            }
        }
        #expect(torn.withLock { $0 } == 0)
    }

    @Test("A thread waits outside until the one inside has left")
    func waiting() {
        let words = Locked<[String]>([])
        let entered = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let status = SystemThread.start(name: "test-inside") {
            words.withLock { words in
                entered.signal()
                for _ in 0..<1_000 { sched_yield() }
                words.append("the first")
            }
            ended.signal()
        }
        #expect(status == 0)
        entered.wait()
        words.withLock { $0.append("the second") }
        ended.wait()
        #expect(words.withLock { $0 } == ["the first", "the second"])
    }

    @Test("What the body returns comes out, also what cannot be copied")
    func results() {
        let gone = Locked<[Int]>([])
        let name = Locked("a")
        let unique = name.withLock { name in
            name += "b"
            return Unique(number: name.count) { number in gone.withLock { $0.append(number) } }
        }
        #expect(unique.number == 2)
        #expect(gone.withLock { $0 } == [])
        #expect(name.withLock { $0 } == "ab")
    }

    @Test("What the body throws comes out in its own type, and the lock is free again")
    func errors() {
        let number = Locked(7)
        do throws(Refused) {
            try number.withLock { number throws(Refused) in
                number += 1
                throw Refused(number: number)
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == Refused(number: 8))
        }
        #expect(number.withLock { $0 } == 8)
    }

    @Test("A value that cannot be copied is changed in place and goes with its lock, once")
    func lifetime() {
        let gone = Locked<[Int]>([])
        do {
            let unique = Locked(Unique(number: 1) { number in gone.withLock { $0.append(number) } })
            unique.withLock { $0.number = 2 }
            #expect(gone.withLock { $0 } == [])
            #expect(unique.withLock { $0.number } == 2)
        }
        #expect(gone.withLock { $0 } == [2])
    }

    @Test("An object in the lock lives as long as the lock")
    func objects() {
        final class Object: Sendable {}
        weak var object: Object?
        do {
            let held = Locked<Object?>(Object())
            object = held.withLock { $0 }
            #expect(object != nil)
            held.withLock { $0 = nil }
            #expect(object == nil)
            held.withLock { $0 = Object() }
            object = held.withLock { $0 }
            #expect(object != nil)
        }
        #expect(object == nil)
    }

    @Test(
        "A value stands behind the lock where its alignment wants it",
        arguments: [1, 2, 4, 8, 16, 32, 64, 128])
    func alignment(_ alignment: Int) {
        let (lock, room) = SystemLock.allocate(before: 100, alignment: alignment)
        #expect(Int(bitPattern: room) % alignment == 0)
        room.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 100)
        lock.lock()
        lock.unlock()
        lock.deallocate()
    }

    @Test("Large values and those without a size have a lock")
    func sizes() {
        let vector = Locked(SIMD16<Double>(repeating: 1))
        vector.withLock { $0 *= 3 }
        #expect(vector.withLock { $0.sum() } == 48)
        let nothing = Locked(())
        #expect(nothing.withLock { $0 } == ())
    }
}
