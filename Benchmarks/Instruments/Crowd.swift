import Foundation
import Heartwire

/// Many clients with everything on that is on by default.
///
/// Answers `open N SECONDS` when all of them are, and to each line:
///
///     round N   N messages of 64 bytes for each client, one at a time: did N×COUNT
///     watch     follows every client's states from now on: watching
///     back      waits until all have lost their connection and are open again:
///               back COUNT LATENESS-MILLISECONDS DELAY-MILLISECONDS ATTEMPTS
///               (the worst of all clients; lateness counts from the end of the last wait)
///     close     disconnects all: closed READERS, how many of our own tasks are left
enum Crowd {
    /// How many connections are being made at once.
    private static let atOnce = 64

    static func run(
        _ load: CrowdLoad, _ commands: CommandLines, say: @escaping @Sendable (String) -> Void
    ) async throws {
        var clients: [WebSocketClient] = []
        for _ in 0..<load.count {
            clients.append(
                try WebSocketClient(load.url) {
                    guard let interval = load.interval else { return }
                    let time = Duration.milliseconds(interval)
                    $0.heartbeat = .every(time, timeout: max(time, .seconds(10)))
                })
        }
        let start = ContinuousClock.now
        try await open(clients)
        let taken = (ContinuousClock.now - start) / .seconds(1)
        say("open \(clients.count) \(taken)")
        let watch = CrowdWatch()
        var rounds: CrowdRounds?
        for await line in commands {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "round" where words.count == 2:
                let count = try InstrumentMisuse.number(words[1], in: 1...1_000_000, "N")
                let made = rounds ?? CrowdRounds(clients)
                rounds = made
                try await made.run(count)
                say("did \(count * clients.count)")
            case "watch":
                await watch.follow(clients)
                say("watching")
            case "back":
                say("back \(try await watch.allBack(clients.count))")
            case "close":
                rounds = nil
                for client in clients { await client.disconnect() }
                clients = []
                say("closed \(await watch.settled())")
            default: throw InstrumentMisuse("no such command: \(line)")
            }
        }
    }

    private static func open(_ clients: [WebSocketClient]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, client) in clients.enumerated() {
                if place >= atOnce { try await group.next() }
                group.addTask {
                    await client.connect()
                    try await client.waitUntilOpen()
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A consumer for each client, and messages that go round.
final class CrowdRounds: @unchecked Sendable {
    private static let message = Message.binary([UInt8](repeating: UInt8(ascii: "x"), count: 64))

    private let clients: [WebSocketClient]
    private var iterators: [Messages.Iterator]

    init(_ clients: [WebSocketClient]) {
        self.clients = clients
        iterators = clients.map { $0.messages.makeAsyncIterator() }
    }

    /// Has each client send so many messages and await each of them; all in one task, on the clients' executor.
    func run(_ count: Int) async throws {
        let executor = clients.first?.executor
        try await Task(executorPreference: executor) { [self] in
            for _ in 0..<count {
                for client in clients { try await client.send(Self.message) }
                for place in iterators.indices {
                    guard await iterators[place].next() != nil else {
                        throw InstrumentEnd.connectionEnded
                    }
                }
            }
        }.value
    }
}
