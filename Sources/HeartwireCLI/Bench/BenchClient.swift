import Heartwire
import HeartwireProtocol
import HeartwireSession

/// Measures the public client: one connection, everything on that is on by default.
enum BenchClient {
    private static let warmUpSeconds = 0.2

    static func run(
        _ load: BenchLoad, output: DescriptorWriter = .standardOutput
    ) async -> CommandEnd {
        let client: WebSocketClient
        do {
            client = try WebSocketClient("ws://127.0.0.1:\(load.port)/") { $0.reconnect = nil }
            await client.connect()
            try await client.waitUntilOpen()
        } catch {
            return .failed("\(error)")
        }
        let measured = Task(executorPreference: client.executor) {
            load.window == 1
                ? try await roundTrips(load, client) : try await pipelined(load, client)
        }
        do {
            // What is under way is of no use any more: the end of the process drops the connection.
            return printed(try await measured.value, to: output)
        } catch {
            return .failed("\(error)")
        }
    }

    private static func message(_ load: BenchLoad) -> Message {
        switch load.kind {
        case .binary: .binary([UInt8](repeating: UInt8(ascii: "x"), count: load.size))
        case .text, .deflate: .text(String(repeating: "x", count: load.size))
        }
    }

    private static func roundTrips(_ load: BenchLoad, _ client: WebSocketClient) async throws
        -> String
    {
        let message = message(load)
        var messages = client.messages.makeAsyncIterator()
        var meter = BenchMeter()
        for seconds in [warmUpSeconds, load.seconds] {
            meter = BenchMeter()
            let end = BenchMeter.wall() + seconds
            var start = BenchMeter.wall()
            while start < end {
                try await client.send(message)
                guard await messages.next(isolation: #isolation) != nil else {
                    throw BenchEnd.connectionEnded
                }
                let now = BenchMeter.wall()
                meter.note(latency: now - start)
                meter.count()
                start = now
            }
        }
        return meter.result
    }

    /// Each message that returns is sent again. The clock is read once for as many messages as are under way.
    private static func pipelined(_ load: BenchLoad, _ client: WebSocketClient) async throws
        -> String
    {
        let message = message(load)
        var messages = client.messages.makeAsyncIterator()
        for _ in 0..<load.window { try await client.send(message) }
        var meter = BenchMeter()
        var isWarm = false
        var end = BenchMeter.wall() + warmUpSeconds
        while true {
            for _ in 0..<load.window {
                guard await messages.next(isolation: #isolation) != nil else {
                    throw BenchEnd.connectionEnded
                }
                try await client.send(message)
            }
            meter.count(load.window)
            guard BenchMeter.wall() > end else { continue }
            if isWarm { return meter.result }
            isWarm = true
            meter = BenchMeter()
            end = BenchMeter.wall() + load.seconds
        }
    }
}

/// What ends a measurement early.
enum BenchEnd: Error, CustomStringConvertible {
    case connectionEnded

    var description: String { "the server ended the connection during the measurement" }
}
