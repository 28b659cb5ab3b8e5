import Heartwire
import HeartwireProtocol
import HeartwireSession

/// Measures what messages take that wait for a connection.
enum HoldBench {
    static func run(
        _ load: HoldLoad, output: DescriptorWriter = .standardOutput
    ) async -> CommandEnd {
        do {
            return printed(try await measure(load).text, to: output)
        } catch {
            return .failed("\(error)")
        }
    }

    private static func measure(_ load: HoldLoad) async throws -> HoldFigures {
        let disk = load.store == .sqlite ? BenchStore(in: load.messages.folder) : nil
        let client = try WebSocketClient("ws://127.0.0.1:9/") {
            var outbox = disk.map { OutboxConfiguration(store: $0.store) } ?? .memory
            outbox.bounds.count = load.messages.count
            outbox.bounds.bytes = .max
            $0.outbox = outbox
        }
        let before = ProcessMemory.residentBytes
        var left = load.messages.count
        while left > 0 {
            try Task.checkCancellation()
            // Each message has bytes of its own, as an app's messages have.
            let messages = (0..<min(left, load.messages.group)).map { _ in
                Message.binary([UInt8](repeating: 1, count: load.messages.size))
            }
            for result in try await client.deliver(contentsOf: messages) { _ = try result.get() }
            left -= messages.count
        }
        let after = ProcessMemory.residentBytes
        let figures = HoldFigures(
            load: load, before: before, after: after, file: disk?.bytes ?? 0)
        _ = await client.shutdown()
        return figures
    }
}

/// What waiting messages took.
struct HoldFigures: Sendable, Hashable {
    let load: HoldLoad
    /// Resident bytes of the process before the first message and behind the last.
    let before: Int
    let after: Int
    /// Bytes on the disk.
    let file: Int

    /// Resident bytes for each message.
    var bytesEach: Int { max(0, after - before) / max(1, load.messages.count) }

    /// The report in the form that was asked for. Ends with LF.
    var text: String {
        switch load.messages.format {
        case .table:
            TextTable.text(
                ["store", "messages", "bytes", "resident KiB before", "after", "each", "file KiB"],
                [
                    [
                        load.store.rawValue, HerdComparison.grouped(load.messages.count),
                        "\(load.messages.size)", HerdComparison.grouped(before / 1_024),
                        HerdComparison.grouped(after / 1_024), "\(bytesEach) B",
                        HerdComparison.grouped(file / 1_024),
                    ]
                ])
        case .json:
            JSONText.object([
                "version": .number(1),
                "store": .string(load.store.rawValue),
                "messages": .number(load.messages.count),
                "size": .number(load.messages.size),
                "resident_before": .number(before),
                "resident_after": .number(after),
                "resident_each": .number(bytesEach),
                "file": .number(file),
            ]).compact + "\n"
        }
    }
}
