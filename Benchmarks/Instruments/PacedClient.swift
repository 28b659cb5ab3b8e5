import Foundation
import Heartwire

/// One client that sends as many messages as each line says, and waits until all of them have come back.
///
/// Answers `ready`, and `did N` to each line `N`.
enum PacedClient {
    static func run(
        _ load: PacedLoad, _ commands: CommandLines, say: @escaping @Sendable (String) -> Void
    ) async throws {
        let client = try WebSocketClient(load.url) {
            $0.reconnect = nil
            $0.compression = .off
            guard let authority = load.authority else { return }
            let pem = try? String(contentsOfFile: authority, encoding: .utf8)
            $0.tls.trust = .certificates(pem: pem ?? "")
        }
        let place: (any TaskExecutor)? = load.place == .executor ? client.executor : nil
        let others = (1..<load.consumers).map { _ in client.messages }
        await client.connect()
        try await client.waitUntilOpen()
        let readers = others.map { messages in
            Task(executorPreference: place) {
                var count = 0
                for await _ in messages { count += 1 }
                return count
            }
        }
        try await Task(executorPreference: place) {
            var messages = client.messages.makeAsyncIterator()
            let message = Self.message(load)
            say("ready")
            for await line in commands {
                let count = try InstrumentMisuse.number(line, in: 1...1_000_000_000, "N")
                try await goRound(count, load.window, client, message, &messages)
                say("did \(count)")
            }
        }.value
        await client.disconnect()
        for reader in readers { _ = await reader.value }
    }

    private static func message(_ load: PacedLoad) -> Message {
        switch load.kind {
        case .binary: .binary([UInt8](repeating: UInt8(ascii: "x"), count: load.size))
        case .text: .text(String(repeating: "x", count: load.size))
        }
    }

    private static func goRound(
        _ count: Int, _ window: Int, _ client: WebSocketClient, _ message: Message,
        _ messages: inout Messages.Iterator
    ) async throws {
        var sent = 0
        while sent < min(window, count) {
            try await client.send(message)
            sent += 1
        }
        for _ in 0..<count {
            guard await messages.next() != nil else { throw InstrumentEnd.connectionEnded }
            guard sent < count else { continue }
            try await client.send(message)
            sent += 1
        }
    }
}

/// What ends a measurement early.
enum InstrumentEnd: Error, Hashable, CustomStringConvertible {
    case connectionEnded

    var description: String { "the server ended a connection during the measurement" }
}
