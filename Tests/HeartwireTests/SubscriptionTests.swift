import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("One consumer's queue")
struct SubscriptionTests {
    private let executor = VirtualExecutor()

    private func filled(_ range: Range<Int>) -> Subscription<Int> {
        let subscription = Subscription<Int>()
        for number in range { subscription.append(number, weight: 10) }
        return subscription
    }

    private func drained(_ subscription: Subscription<Int>) -> [Int] {
        var batch = BatchQueue<Int>()
        subscription.take(into: &batch)
        var all: [Int] = []
        while let number = batch.popFirst() { all.append(number) }
        return all
    }

    @Test("S2: what was taken still weighs until the consumer comes back for more")
    func weight() {
        let subscription = filled(0..<5)
        #expect(subscription.weight == 50)
        #expect(subscription.queuedWeight == 50)
        #expect(drained(subscription) == [0, 1, 2, 3, 4])
        #expect(subscription.isEmpty)
        #expect(subscription.queuedWeight == 0)
        #expect(subscription.weight == 50)
        subscription.append(5, weight: 10)
        #expect(subscription.weight == 60)
        #expect(drained(subscription) == [5])
        #expect(subscription.weight == 10)
        #expect(drained(subscription).isEmpty)
        #expect(subscription.weight == 0)
        subscription.append(6, weight: 10)
        #expect(drained(subscription) == [6])
        subscription.cameBack()
        #expect(subscription.weight == 0)
    }

    @Test("S2: the oldest is dropped with its weight; an empty queue has nothing to drop")
    func dropping() {
        let subscription = filled(0..<2)
        for _ in 0..<3 { subscription.dropFirst(weight: 10) }
        #expect(subscription.isEmpty)
        #expect(subscription.weight == 0)
        let other = filled(0..<3)
        other.dropFirst(weight: 10)
        #expect(drained(other) == [1, 2])
    }

    @Test("S1: an heir gets what was not read, behind its own, with its weight")
    func inheriting() {
        let old = filled(0..<3)
        let heir = filled(7..<8)
        heir.inherit(old)
        #expect(heir.weight == 40)
        #expect(old.isEmpty)
        #expect(old.weight == 0)
        #expect(drained(heir) == [7, 0, 1, 2])
    }

    @Test("S1: what a consumer gives back stands ahead of what waits, and weighs as it did")
    func takingBack() {
        let subscription = Subscription<Message>()
        let messages = ["a", "bc", "def"].map { Message.text($0) }
        for message in messages { subscription.append(message, weight: message.weight) }
        let weight = subscription.queuedWeight
        var batch = BatchQueue<Message>()
        subscription.take(into: &batch)
        subscription.append(.text("g"), weight: Message.text("g").weight)
        subscription.takeBack(batch)
        subscription.takeBack(BatchQueue())
        #expect(subscription.queuedWeight == weight + 65)
        subscription.take(into: &batch)
        var all: [Message] = []
        while let message = batch.popFirst() { all.append(message) }
        #expect(all == messages + [.text("g")])
    }

    @Test("S1: one wake wakes every task that waits, and no task twice")
    func wakes() throws {
        let subscription = Subscription<Int>()
        let woken = Box(0)
        for _ in 0..<3 {
            _ = Task(executorPreference: executor) {
                await withUnsafeContinuation { subscription.wait($0) }
                woken.value += 1
            }
        }
        executor.runUntilIdle()
        #expect(woken.value == 0)
        executor.perform { subscription.wake() }
        executor.runUntilIdle()
        #expect(woken.value == 3)
        executor.perform { subscription.wake() }
        executor.runUntilIdle()
        #expect(woken.value == 3)
    }

    @Test("S1: waiting ends when something comes, at the end, and on cancellation")
    func waiting() throws {
        for end in 0..<3 {
            let subscription = Subscription<Int>()
            let executor = executor
            let isThrough = Box(false)
            let task = Task(executorPreference: executor) {
                await subscription.waitUntilFilled(executor, isolation: nil)
                isThrough.value = true
            }
            executor.runUntilIdle()
            executor.perform { subscription.wake() }
            executor.runUntilIdle()
            #expect(!isThrough.value, "woken for nothing")
            switch end {
            case 0:
                executor.perform {
                    subscription.append(1, weight: 1)
                    subscription.wake()
                }
            case 1: executor.perform { subscription.finish() }
            default: task.cancel()
            }
            executor.runUntilIdle()
            #expect(isThrough.value)
        }
    }

    @Test(
        "S1, S2: who asks from elsewhere is handed what came with the word that it came, and no more than that"
    )
    func serving() {
        let subscription = filled(0..<2)
        #expect(drained(subscription) == [0, 1])
        let box = BatchBox<Int>(executor)
        let isThrough = Box(false)
        _ = Task(executorPreference: executor) {
            await withUnsafeContinuation { subscription.serve(box, nil, $0) }
            isThrough.value = true
        }
        executor.runUntilIdle()
        #expect(subscription.weight == 0, "who asks again is done with the last batch")
        #expect(!isThrough.value)
        executor.perform {
            subscription.append(2, weight: 10)
            subscription.append(3, weight: 10)
            subscription.wake()
            subscription.append(4, weight: 10)
        }
        executor.runUntilIdle()
        #expect(isThrough.value)
        #expect(box.batch.popFirst() == 2)
        #expect(box.batch.popFirst() == 3)
        #expect(box.batch.popFirst() == nil)
        #expect(!box.isLast)
        #expect(subscription.weight == 30)
    }

    @Test("S1: what waits is handed over at once, and with the end the word that it is the end")
    func servingAtOnce() {
        for isCancelled in [false, true] {
            let subscription = filled(0..<1)
            if !isCancelled { subscription.finish() }
            for expected in [0, nil] as [Int?] {
                let box = BatchBox<Int>(executor)
                box.isCancelled = isCancelled
                let isThrough = Box(false)
                _ = Task(executorPreference: executor) {
                    await withUnsafeContinuation { subscription.serve(box, nil, $0) }
                    isThrough.value = true
                }
                executor.runUntilIdle()
                #expect(isThrough.value)
                #expect(box.batch.popFirst() == expected)
                #expect(box.isLast == !isCancelled)
            }
        }
    }

    // MARK: Bounds

    private func message(_ number: Int) -> Message { .text("\(number)") }

    private func texts(_ subscription: Subscription<Message>) -> [String] {
        var batch = BatchQueue<Message>()
        subscription.take(into: &batch)
        var all: [String] = []
        while case .text(let text)? = batch.popFirst() { all.append(text) }
        return all
    }

    @Test("S2: a consumer that drops keeps the newest in order, by count; what went is counted")
    func dropsByCount() {
        let tally = Tally()
        let subscription = Subscription<Message>(.dropOldest(BufferBounds(count: 3), tally))
        for number in 0..<3 {
            #expect(subscription.offer(message(number), weight: 65) == 0)
        }
        #expect(tally.value == 0)
        for number in 3..<10 {
            #expect(subscription.offer(message(number), weight: 65) == 1)
        }
        #expect(tally.value == 7)
        #expect(subscription.queuedWeight == 3 * 65)
        #expect(subscription.weight == 0, "reading is not suspended for it")
        #expect(texts(subscription) == ["7", "8", "9"])
    }

    @Test("S2: by bytes as well: one unit below the bound, at it, and one above")
    func dropsByBytes() {
        for (bytes, dropped) in [(129, 1), (130, 0), (131, 0)] {
            let tally = Tally()
            let bounds = BufferBounds(count: 10, bytes: bytes)
            let subscription = Subscription<Message>(.dropOldest(bounds, tally))
            for number in 0..<2 { _ = subscription.offer(message(number), weight: 65) }
            #expect(tally.value == dropped)
            #expect(texts(subscription).last == "1")
        }
    }

    @Test("S2: a message larger than the bounds is dropped, and counted like any other")
    func dropsTooLarge() {
        let tally = Tally()
        let bounds = BufferBounds(count: 10, bytes: 100)
        let subscription = Subscription<Message>(.dropOldest(bounds, tally))
        _ = subscription.offer(message(1), weight: 65)
        let large = Message.binary([UInt8](repeating: 0, count: 37))
        #expect(subscription.offer(large, weight: large.weight) == 2)
        #expect(subscription.isEmpty)
        #expect(subscription.queuedWeight == 0)
        #expect(tally.value == 2)
    }

    @Test("S2: a consumer that fails gets all that fitted, and nothing behind the gap")
    func fails() {
        let flag = OverflowFlag()
        let bounds = BufferBounds(count: 2)
        let subscription = Subscription<Message>(.fail(bounds, flag))
        for number in 0..<2 { _ = subscription.offer(message(number), weight: 65) }
        #expect(!subscription.isFinished)
        #expect(flag.take() == nil)
        for number in 2..<5 { #expect(subscription.offer(message(number), weight: 65) == 0) }
        #expect(subscription.isFinished)
        #expect(texts(subscription) == ["0", "1"])
        _ = subscription.offer(message(9), weight: 65)
        #expect(subscription.isEmpty)
        #expect(flag.take() == BufferOverflow(bounds: bounds))
        #expect(flag.take() == nil)
        #expect(subscription.weight == 0)
    }

    @Test("S2: a consumer that suspends reading drops nothing, whatever waits")
    func suspends() {
        let subscription = Subscription<Message>()
        for number in 0..<2_000 {
            #expect(subscription.offer(message(number), weight: 65) == 0)
        }
        #expect(subscription.trim() == 0)
        #expect(subscription.weight == 2_000 * 65)
        subscription.adopt(.dropOldest(BufferBounds(count: 5), Tally()))
        #expect(subscription.weight == 0)
        #expect(subscription.trim() == 1_995)
        #expect(texts(subscription) == (1_995..<2_000).map { "\($0)" })
    }

    @Test("S3: what is moved to where a consumer polls weighs until that has taken it")
    func polled() {
        let subscription = filled(0..<3)
        let wakes = Box(0)
        subscription.onWake = { wakes.value += 1 }
        subscription.wake()
        #expect(wakes.value == 1)
        var moved: [Int] = []
        subscription.drain { moved.append($0) }
        subscription.append(3, weight: 10)
        subscription.drain { moved.append($0) }
        #expect(moved == [0, 1, 2, 3])
        #expect(subscription.weight == 40)
        subscription.gaveBack(30)
        #expect(subscription.weight == 10)
        subscription.gaveBack(30)
        #expect(subscription.weight == 0)
    }

    @Test("S1: a reader gives what waits, then the end; what waits at the end comes first")
    func reader() throws {
        let subscription = filled(0..<3)
        subscription.finish()
        let executor = executor
        let all = try executor.runScript {
            let reader = SubscriptionReader(
                executor: executor, subscription: subscription, core: nil)
            var batch = BatchQueue<Int>()
            var all: [Int?] = []
            for _ in 0..<2 {
                all.append(await reader.refill(&batch, isolation: nil))
                while let next = batch.popFirst() { all.append(next) }
            }
            return all
        }
        #expect(all == [0, 1, 2, nil])
    }
}

/// Consumers that are not in the domain: real threads, so real time.
@Suite("One consumer's queue, read from elsewhere", .serialized, .timeLimit(.minutes(1)))
struct SubscriptionElsewhereTests {
    private let loop = EventLoop(name: "subscription")

    private static func reader(
        _ subscription: Subscription<Int>, _ loop: EventLoop
    ) -> SubscriptionReader<Int> {
        SubscriptionReader(executor: loop, subscription: subscription, core: nil)
    }

    @Test("T5: a consumer on another thread gets everything in order, a batch at a time")
    func order() async {
        let subscription = Subscription<Int>()
        let consumer = Task.detached { [loop] in
            let reader = Self.reader(subscription, loop)
            var batch = BatchQueue<Int>()
            var all: [Int] = []
            while true {
                guard let first = await reader.refill(&batch, isolation: nil) else { return all }
                all.append(first)
                while let next = batch.popFirst() { all.append(next) }
            }
        }
        for hundred in 0..<100 {
            loop.execute {
                for number in 0..<100 { subscription.append(hundred * 100 + number, weight: 1) }
                subscription.wake()
            }
            await Task.yield()
        }
        loop.execute { subscription.finish() }
        #expect(await consumer.value == Array(0..<10_000))
        loop.shutdown()
    }

    @Test("K11-04: a consumer on another thread that is cancelled comes back at once")
    func cancelled() async {
        for _ in 0..<200 {
            let consumer = Task.detached { [loop] in
                let reader = Self.reader(Subscription<Int>(), loop)
                var batch = BatchQueue<Int>()
                return await reader.refill(&batch, isolation: nil)
            }
            await Task.yield()
            consumer.cancel()
            #expect(await consumer.value == nil)
        }
        loop.shutdown()
    }
}
