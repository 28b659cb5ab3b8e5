import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// Measures the public client: one connection, everything on that is on by default.
enum BenchClient {
    private static let warmUpSeconds = 0.2

    /// - Parameter patience: How long the messages under way may take to come back when the time is up. A server that
    ///   answers nothing, pings apart, would else be waited for without end.
    static func run(
        _ load: BenchLoad, output: DescriptorWriter = .standardOutput,
        patience: Duration = .seconds(30)
    ) async -> CommandEnd {
        if let obstacle = load.transport.obstacle { return .failed(obstacle) }
        let client: WebSocketClient
        let message: Message
        do {
            message = try Self.message(load)
            let path = load.kind == .deflate ? "/d" : "/"
            client = try WebSocketClient("ws://127.0.0.1:\(load.port)\(path)") {
                $0.reconnect = nil
                switch load.transport {
                case .socket: $0.transport = .sockets
                case .urlsession: $0.transport = .urlSession()
                }
                $0.compression = load.kind == .deflate ? .deflate() : .off
            }
            await client.connect()
            try await client.waitUntilOpen()
        } catch {
            return .failed("\(error)")
        }
        let place: (any TaskExecutor)? =
            switch load.consumer {
            case .executor: client.executor
            case .pool: nil
            }
        let measured = Task(executorPreference: place) {
            load.window == 1
                ? try await roundTrips(load, client, message)
                : try await pipelined(load, client, message)
        }
        let isOverdue = Locked(false)
        let watch = Task {
            try await Task.sleep(for: .seconds(warmUpSeconds + load.seconds) + patience)
            isOverdue.withLock { $0 = true }
            await client.disconnect()
        }
        defer { watch.cancel() }
        do {
            // What is under way is of no use any more: the end of the process drops the connection.
            return printed(try await measured.value, to: output)
        } catch {
            return .failed("\(isOverdue.withLock { $0 } ? BenchEnd.overdue : error)")
        }
    }

    /// The message that goes round, which is as large as the load says unless it comes from a file.
    static func message(_ load: BenchLoad) throws(BenchPayloadError) -> Message {
        switch load.kind {
        case .binary: return .binary([UInt8](repeating: UInt8(ascii: "x"), count: load.size))
        case .text: return .text(String(repeating: "x", count: load.size))
        case .deflate: return .text(try BenchPayload.text(at: load.file ?? ""))
        }
    }

    private static func roundTrips(
        _ load: BenchLoad, _ client: WebSocketClient, _ message: Message
    ) async throws -> String {
        var messages = client.messages.makeAsyncIterator()
        let size = message.byteCount
        var meter = BenchMeter()
        for seconds in [warmUpSeconds, load.seconds] {
            meter = BenchMeter()
            let end = BenchMeter.wall() + seconds
            var start = BenchMeter.wall()
            while start < end {
                try await client.send(message)
                var echo = BenchEcho(of: size, mayCut: load.mayCut)
                repeat {
                    meter.countPiece()
                } while try echo.isLacking(after: await messages.next())
                let now = BenchMeter.wall()
                meter.note(latency: now - start)
                meter.count()
                start = now
            }
        }
        return meter.result
    }

    /// Each message that returns is sent again. The clock is read once for as many messages as are under way.
    private static func pipelined(
        _ load: BenchLoad, _ client: WebSocketClient, _ message: Message
    ) async throws -> String {
        var messages = client.messages.makeAsyncIterator()
        let size = message.byteCount
        for _ in 0..<load.window { try await client.send(message) }
        var meter = BenchMeter()
        var isWarm = false
        var end = BenchMeter.wall() + warmUpSeconds
        while true {
            for _ in 0..<load.window {
                var echo = BenchEcho(of: size, mayCut: load.mayCut)
                repeat {
                    meter.countPiece()
                } while try echo.isLacking(after: await messages.next())
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

/// What is still to come back of one message.
private struct BenchEcho {
    private var rest: Int
    private let mayCut: Bool

    init(of size: Int, mayCut: Bool) {
        rest = size
        self.mayCut = mayCut
    }

    /// Takes what came, and tells whether more of the message is to come.
    mutating func isLacking(after answer: Message?) throws(BenchEnd) -> Bool {
        guard let answer else { throw .connectionEnded }
        rest -= answer.byteCount
        guard rest == 0 || rest > 0 && mayCut else { throw .changed }
        return rest > 0
    }
}

/// What ends a measurement early.
enum BenchEnd: Error, CustomStringConvertible {
    case connectionEnded
    case changed
    case overdue

    var description: String {
        switch self {
        case .connectionEnded: "the connection ended during the measurement"
        case .changed: "a message came back longer or shorter than it was sent"
        case .overdue: "the messages did not come back in time"
        }
    }
}
