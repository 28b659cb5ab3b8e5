import HeartwireProtocol
import HeartwireSession

/// What decides: the session machine, the heartbeat, the timers and the outbox.
enum Machines {
    static let all = [
        Micro(name: "session-life", reference: "steps", prepare: living),
        Micro(name: "session-message", reference: "steps", prepare: admitting),
        Micro(name: "heartbeat", reference: "steps", prepare: beating),
        Micro(name: "timers-10000", reference: "steps", prepare: timing),
        Micro(name: "outbox-1000", reference: "steps", prepare: delivering),
    ]

    private static let second: Int64 = 1_000_000_000

    /// One connection from the wish for it to its loss, with one beat of the heart.
    private static func living() -> (Int) -> Void {
        { count in
            var machine = SessionMachine(seed: 1)
            var time: Int64 = 0
            for _ in 0..<count {
                keep(machine.handle(.connectRequested, now: MonotonicInstant(nanoseconds: time)))
                open(&machine, at: time)
                time += 20 * second
                let now = MonotonicInstant(nanoseconds: time)
                for effect in machine.handle(.timerFired(machine.generation), now: now) {
                    guard case .sendPing(let generation, let id) = effect else { continue }
                    keep(machine.handle(.pongReceived(generation, id), now: now))
                }
                let lost = SessionEvent.transportClosed(
                    machine.generation, .connectionLost(ConnectionFailure(.reset)))
                keep(machine.handle(lost, now: now))
            }
        }
    }

    private static func open(_ machine: inout SessionMachine, at time: Int64) {
        let now = MonotonicInstant(nanoseconds: time)
        keep(machine.handle(.requestProvided(machine.generation), now: now))
        keep(machine.handle(.transportOpened(machine.generation), now: now))
    }

    /// A machine whose first connection is open.
    private static func opened() -> SessionMachine {
        var machine = SessionMachine(seed: 1)
        keep(machine.handle(.connectRequested, now: .origin))
        open(&machine, at: 0)
        return machine
    }

    /// The gate, as each message passes it.
    private static func admitting() -> (Int) -> Void {
        { count in
            var machine = opened()
            let generation = machine.generation
            var admitted = 0
            for _ in 0..<count where machine.admitsMessage(from: generation) { admitted += 1 }
            precondition(admitted == count)
        }
    }

    /// A ping that is due, and its pong, of a connection that is open.
    private static func beating() -> (Int) -> Void {
        { count in
            var machine = opened()
            let generation = machine.generation
            var beats = 0
            for number in 0..<count {
                let now = MonotonicInstant(nanoseconds: Int64(number + 1) * 20 * second)
                for effect in machine.handle(.timerFired(generation), now: now) {
                    guard case .sendPing(_, let id) = effect else { continue }
                    keep(machine.handle(.pongReceived(generation, id), now: now))
                    beats += 1
                }
            }
            precondition(beats == count)
        }
    }

    /// A timer that fires and is set again, among ten thousand.
    private static func timing() -> (Int) -> Void {
        { count in
            let others: Int64 = 10_000
            var timers = TimerHeap()
            for number in 0..<others {
                keep(timers.add(MonotonicInstant(nanoseconds: number), {}))
            }
            for number in 0..<Int64(count) {
                guard let action = timers.popDue(MonotonicInstant(nanoseconds: number)) else {
                    fatalError("a timer is due at each instant")
                }
                action()
                keep(timers.add(MonotonicInstant(nanoseconds: number + others), {}))
            }
        }
    }

    /// A message that is taken in, stored, written and acknowledged behind a thousand others.
    private static func delivering() -> (Int) -> Void {
        { count in
            var bounds = OutboxBounds()
            bounds.count = 2_000
            var outbox = Outbox(bounds, confirmation: .acknowledgement)
            do throws(OutboxRefusal) {
                for _ in 0..<1_000 { outbox.stored(try outbox.add(.binary([]), at: .origin).id) }
                keep(outbox.opened(Generation(1)))
                while let next = outbox.takeNext() { keep(next) }
                for _ in 0..<count {
                    let id = try outbox.add(.binary([]), at: .origin).id
                    outbox.stored(id)
                    keep(outbox.takeNext())
                    keep(outbox.acknowledged(id))
                }
            } catch {
                fatalError("\(error)")
            }
        }
    }
}
