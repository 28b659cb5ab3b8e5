import HeartwireProtocol
import HeartwireSession

/// Measures how the cost of an outbox's operations grows with what waits in it.
enum GrowBench {
    /// An operation, and what it is measured on.
    enum Operation: String, Sendable, CaseIterable {
        /// Take in, store, write and confirm one message behind all that waits, which is written.
        case deliver
        /// Take in one message where the oldest must make room.
        case drop
        /// Let the app acknowledge a message in the middle.
        case acknowledge
        /// Ask what has expired when nothing has.
        case expire
        /// End the connection and begin the next one, for each entry that was written.
        case reconnect
    }

    /// The sizes, up to the count that was asked for.
    static func sizes(upTo count: Int) -> [Int] {
        Array(sequence(first: 10) { $0 * 10 }.prefix { $0 <= max(10, count) })
    }

    /// How often an operation is done to be measured, at most.
    private static let repetitions = 1_000

    static func run(
        _ load: DeliverLoad, output: DescriptorWriter = .standardOutput
    ) async -> CommandEnd {
        var rows: [GrowFigures] = []
        for size in sizes(upTo: load.count) {
            guard !Task.isCancelled else { return .failed("stopped before the end") }
            var row = GrowFigures(size: size)
            for operation in Operation.allCases {
                do throws(OutboxRefusal) {
                    row.nanoseconds.append(try nanoseconds(operation, size))
                } catch {
                    return .failed("\(error)")
                }
            }
            rows.append(row)
        }
        return printed(GrowFigures.text(rows, load.format), to: output)
    }

    /// What one operation takes, in nanoseconds, with so many entries in the outbox; with few of them in as many
    /// outboxes as it takes to do it often.
    private static func nanoseconds(
        _ operation: Operation, _ size: Int
    ) throws(OutboxRefusal) -> Int {
        let times = operation == .reconnect ? 1 : min(repetitions, max(1, size / 2))
        let operations = operation == .reconnect ? size : times
        let rounds = max(1, repetitions / operations)
        var seconds = 0.0
        for _ in 0..<rounds {
            var outbox = try filled(operation, size)
            let start = BenchMeter.threadCPU()
            for time in 0..<times { try perform(operation, time, &outbox, size) }
            seconds += BenchMeter.threadCPU() - start
        }
        return Int(seconds * 1e9) / (rounds * operations)
    }

    private static func perform(
        _ operation: Operation, _ time: Int, _ outbox: inout Outbox, _ size: Int
    ) throws(OutboxRefusal) {
        let now = MonotonicInstant.origin
        switch operation {
        case .deliver:
            let id = try outbox.add(.binary([]), at: now).id
            outbox.stored(id)
            _ = outbox.takeNext()
            _ = outbox.acknowledged(id)
        case .drop: outbox.stored(try outbox.add(.binary([]), at: now).id)
        case .acknowledge:
            _ = outbox.acknowledged(DeliveryID(UInt64(size / 2 + time % (size / 2)) + 1))
        case .expire: _ = outbox.expire(at: now)
        case .reconnect:
            _ = outbox.ended(Generation(1))
            _ = outbox.opened(Generation(2))
            while outbox.takeNext() != nil {}
        }
    }

    /// An outbox with so many entries, on an open connection, all written but where what waits makes room.
    private static func filled(
        _ operation: Operation, _ size: Int
    ) throws(OutboxRefusal) -> Outbox {
        var bounds = OutboxBounds()
        bounds.count = operation == .drop ? size : size + 1
        bounds.bytes = .max
        bounds.overflow = .dropOldest
        bounds.age = .seconds(60)
        var outbox = Outbox(bounds, confirmation: .acknowledgement)
        for _ in 0..<size { outbox.stored(try outbox.add(.binary([]), at: .origin).id) }
        _ = outbox.opened(Generation(1))
        if operation != .drop { while outbox.takeNext() != nil {} }
        return outbox
    }
}

/// What the operations of an outbox took with so many entries in it.
struct GrowFigures: Sendable, Hashable {
    let size: Int
    /// For each operation, in order.
    var nanoseconds: [Int] = []

    /// The report in the form that is asked for. Ends with LF.
    static func text(_ rows: [GrowFigures], _ format: SimulateFormat) -> String {
        let names = GrowBench.Operation.allCases.map(\.rawValue)
        switch format {
        case .table:
            return TextTable.text(
                ["entries"] + names,
                rows.map {
                    [HerdComparison.grouped($0.size)] + $0.nanoseconds.map { "\($0) ns" }
                })
        case .json:
            let sizes = rows.map { row in
                JSONText.object([
                    "entries": .number(row.size),
                    "nanoseconds": .array(row.nanoseconds.map(JSONText.number)),
                ])
            }
            return JSONText.object([
                "version": .number(1),
                "operations": .array(names.map(JSONText.string)),
                "sizes": .array(sizes),
            ]).compact + "\n"
        }
    }
}
