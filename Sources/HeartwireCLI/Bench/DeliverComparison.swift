/// What one way of delivery took.
struct DeliverFigures: Sendable, Hashable {
    let way: DeliverWay
    let count: Int
    /// Until the last message had its receipt, or was sent.
    let storedSeconds: Double
    /// Until the last message was confirmed, or had arrived.
    let seconds: Double
    /// Of the whole process, both ends included.
    let cpuSeconds: Double
    /// Of the client's thread, and of the endpoint's; what is left is the store's.
    let loopSeconds: Double
    let sinkSeconds: Double
    /// Transactions on the disk, where there is one.
    let commits: Int?

    var storedPerSecond: Int { Self.rate(count, storedSeconds) }
    var confirmedPerSecond: Int { Self.rate(count, seconds) }
    /// Nanoseconds of processor time for each message.
    var cpuNanoseconds: Int { nanosecondsEach(cpuSeconds) }
    var loopNanoseconds: Int { nanosecondsEach(loopSeconds) }
    var sinkNanoseconds: Int { nanosecondsEach(sinkSeconds) }
    /// Of all other threads: the store's, where there is one.
    var restNanoseconds: Int { nanosecondsEach(max(0, cpuSeconds - loopSeconds - sinkSeconds)) }

    private func nanosecondsEach(_ seconds: Double) -> Int {
        Int((seconds * 1e9 / Double(count)).rounded())
    }

    private static func rate(_ count: Int, _ seconds: Double) -> Int {
        seconds > 0 ? Int((Double(count) / seconds).rounded()) : 0
    }
}

/// The ways of delivery side by side.
struct DeliverComparison {
    let load: DeliverLoad
    let rows: [DeliverFigures]

    /// The report in the form that was asked for. Ends with LF.
    var text: String {
        switch load.format {
        case .table: table
        case .json: json.compact + "\n"
        }
    }

    private var table: String {
        let head = [
            "way", "messages", "receipts/s", "confirmed/s", "CPU µs each", "client", "endpoint",
            "store", "commits",
        ]
        let cells = rows.map { row in
            [
                row.way.rawValue, HerdComparison.grouped(row.count),
                HerdComparison.grouped(row.storedPerSecond),
                HerdComparison.grouped(row.confirmedPerSecond),
                Self.micros(row.cpuNanoseconds), Self.micros(row.loopNanoseconds),
                Self.micros(row.sinkNanoseconds), Self.micros(row.restNanoseconds),
                row.commits.map(HerdComparison.grouped) ?? "–",
            ]
        }
        return "Messages of \(load.size) bytes; in bulk \(load.group) to a call.\n\n"
            + TextTable.text(head, cells)
    }

    /// Microseconds with two digits behind the point.
    private static func micros(_ nanoseconds: Int) -> String {
        let hundredths = (nanoseconds + 5) / 10
        return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    }

    private var json: JSONText {
        .object([
            "version": .number(1),
            "size": .number(load.size),
            "group": .number(load.group),
            "ways": .array(rows.map(json)),
        ])
    }

    private func json(_ row: DeliverFigures) -> JSONText {
        .object([
            "way": .string(row.way.rawValue),
            "messages": .number(row.count),
            "receipts_per_second": .number(row.storedPerSecond),
            "confirmed_per_second": .number(row.confirmedPerSecond),
            "cpu_ns_each": .number(row.cpuNanoseconds),
            "client_cpu_ns_each": .number(row.loopNanoseconds),
            "endpoint_cpu_ns_each": .number(row.sinkNanoseconds),
            "other_cpu_ns_each": .number(row.restNanoseconds),
            "commits": .number(row.commits ?? 0),
        ])
    }
}
