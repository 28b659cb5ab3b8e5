import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// The ways to get messages to a peer, in the order in which they are measured.
enum DeliverWay: String, Sendable, Hashable, CaseIterable {
    /// Plain `send`, at most once.
    case send
    /// One `deliver` after the other, with the store in memory.
    case memory = "memory"
    /// Calls in bulk, with the store in memory.
    case memoryBulk = "memory-bulk"
    /// Calls in bulk, with SQLite.
    case sqliteBulk = "sqlite-bulk"
    /// Many callers with one message each at a time, with SQLite: they share transactions.
    case sqliteCallers = "sqlite-callers"
    /// One `deliver` after the other, with SQLite: each waits for the disk.
    case sqliteSingle = "sqlite-single"

    /// How much less is delivered where each message waits for the disk.
    static let singleShare = 100

    var isOnDisk: Bool {
        switch self {
        case .send, .memory, .memoryBulk: false
        case .sqliteBulk, .sqliteCallers, .sqliteSingle: true
        }
    }

    /// How many messages this way is measured with.
    func count(of load: DeliverLoad) -> Int {
        self == .sqliteSingle ? max(1, load.count / Self.singleShare) : load.count
    }
}

/// Measures guaranteed delivery beside plain sending, over loopback to an endpoint in this process.
enum DeliverBench {
    /// How many callers there are who deliver one message at a time, and how many in bulk.
    static let callers = 256
    static let bulkCallers = 4

    static func run(
        _ load: DeliverLoad, ways: [DeliverWay] = DeliverWay.allCases,
        output: DescriptorWriter = .standardOutput
    ) async -> CommandEnd {
        var rows: [DeliverFigures] = []
        do {
            let sink = try BenchSink()
            defer { sink.close() }
            for way in ways {
                guard !Task.isCancelled else { return .failed("stopped before the end") }
                rows.append(try await measure(way, load, sink))
            }
        } catch {
            return .failed("\(error)")
        }
        return printed(DeliverComparison(load: load, rows: rows).text, to: output)
    }

    private static func measure(
        _ way: DeliverWay, _ load: DeliverLoad, _ sink: BenchSink
    ) async throws -> DeliverFigures {
        let disk = way.isOnDisk ? BenchStore(in: load.folder) : nil
        let count = way.count(of: load)
        let client = try WebSocketClient(sink.url) {
            $0.compression = .off
            guard way != .send else { return }
            var outbox = disk.map { OutboxConfiguration(store: $0.store) } ?? .memory
            outbox.bounds.count = count
            outbox.bounds.bytes = .max
            $0.outbox = outbox
        }
        await client.connect()
        try await client.waitUntilOpen()
        let before = await sink.messages
        let loopStart = await threadCPU(client)
        let sinkStart = await sink.threadCPU
        let message = Message.binary([UInt8](repeating: UInt8(ascii: "x"), count: load.size))
        let meter = BenchMeter()
        try await Task(executorPreference: client.executor) {
            try await deliver(count, message, way, load.group, client)
        }.value
        let stored = meter.elapsed.wall
        try await sink.wait(for: before + count)
        if way != .send { try await confirmed(count, client) }
        let (wall, cpu) = meter.elapsed
        let loopCPU = await threadCPU(client) - loopStart
        let sinkCPU = await sink.threadCPU - sinkStart
        let figures = DeliverFigures(
            way: way, count: count, storedSeconds: stored, seconds: wall, cpuSeconds: cpu,
            loopSeconds: loopCPU, sinkSeconds: sinkCPU,
            commits: disk?.store.commitCount)
        _ = await client.shutdown()
        return figures
    }

    private static func deliver(
        _ count: Int, _ message: Message, _ way: DeliverWay, _ group: Int,
        _ client: WebSocketClient
    ) async throws {
        switch way {
        case .send: for _ in 0..<count { try await client.send(message) }
        case .memory, .sqliteSingle:
            for _ in 0..<count { _ = try await client.deliver(message) }
        case .sqliteCallers:
            try await shared(count, callers) { part in
                for _ in 0..<part { _ = try await client.deliver(message) }
            }
        case .memoryBulk, .sqliteBulk:
            try await shared(count, bulkCallers) { part in
                var left = part
                while left > 0 {
                    let messages = Array(repeating: message, count: min(left, group))
                    for result in try await client.deliver(contentsOf: messages) {
                        _ = try result.get()
                    }
                    left -= messages.count
                }
            }
        }
    }

    /// Has so many tasks do their part of `count` each.
    private static func shared(
        _ count: Int, _ tasks: Int, _ work: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let part = count * (task + 1) / tasks - count * task / tasks
                group.addTask { try await work(part) }
            }
            try await group.waitForAll()
        }
    }

    /// The processor time of the client's own thread.
    private static func threadCPU(_ client: WebSocketClient) async -> Double {
        await Task(executorPreference: client.executor) { BenchMeter.threadCPU() }.value
    }

    private static func confirmed(_ count: Int, _ client: WebSocketClient) async throws {
        while await client.outboxStatus.confirmed < count {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// An endpoint that reads and says nothing, on a loop of its own.
private final class BenchSink: Sendable {
    private let loop = EventLoop(name: "bench-sink")
    private let endpoint: Endpoint
    private let listener: TCPListener

    init() throws {
        let endpoint = Endpoint(executor: loop, random: SystemRandomSource())
        listener = try TCPListener.listen(on: loop) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        self.endpoint = endpoint
    }

    var url: String { "ws://127.0.0.1:\(listener.port)/?echo=off" }

    /// How many messages came.
    var messages: Int {
        get async { await on { $0.counters.messages } }
    }

    /// The processor time of the endpoint's thread.
    var threadCPU: Double {
        get async { await on { _ in BenchMeter.threadCPU() } }
    }

    private func on<Value: Sendable>(_ body: @escaping @Sendable (Endpoint) -> Value) async -> Value
    {
        await withHandover { handover in
            loop.execute { handover.resume(returning: body(self.endpoint)) }
        }
    }

    func wait(for count: Int) async throws {
        while await messages < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    func close() {
        listener.close()
        loop.execute { [endpoint, loop] in
            endpoint.dropAll()
            loop.shutdown()
        }
    }
}
