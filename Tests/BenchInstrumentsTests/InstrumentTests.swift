import Heartwire
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import BenchInstruments

/// An endpoint that echoes on a real port, on a loop of its own.
private final class EchoServer: Sendable {
    private let loop = EventLoop(name: "instrument-tests")
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

    var url: String { "ws://127.0.0.1:\(listener.port)/" }

    /// Ends every connection without a Close frame.
    func dropAll() {
        loop.execute { [endpoint] in endpoint.dropAll() }
    }

    func close() {
        listener.close()
        loop.execute { [endpoint, loop] in
            endpoint.dropAll()
            loop.shutdown()
        }
    }
}

/// The lines that an instrument has printed.
private final class Printed: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

/// These need real sockets.
@Suite("The instruments of the benchmarks", .timeLimit(.minutes(1)))
struct InstrumentTests {
    @Test(
        "A paced client says when it is ready, and when as many messages have come back as were asked for",
        arguments: [
            ["64", "1"], ["1000", "16", "t"], ["64", "4", "b", "3"], ["0", "2", "b", "2", "pool"],
        ])
    func paced(_ words: [String]) async throws {
        let server = try EchoServer()
        defer { server.close() }
        let printed = Printed()
        try await PacedClient.run(
            try PacedLoad([server.url] + words), CommandLines(["3", "40"]), say: printed.add)
        #expect(printed.all == ["ready", "did 3", "did 40"])
    }

    @Test("A paced client refuses what is no number")
    func pacedMisuse() async throws {
        let server = try EchoServer()
        defer { server.close() }
        let load = try PacedLoad([server.url, "1", "1"])
        await #expect(throws: InstrumentMisuse.self) {
            try await PacedClient.run(load, CommandLines(["many"])) { _ in }
        }
    }

    @Test("A crowd opens, sends rounds and leaves none of its tasks behind")
    func crowd() async throws {
        let server = try EchoServer()
        defer { server.close() }
        let printed = Printed()
        try await Crowd.run(
            try CrowdLoad([server.url, "70", "1000"]),
            CommandLines(["round 2", "watch", "round 1", "close"]), say: printed.add)
        let lines = printed.all
        #expect(lines.first?.hasPrefix("open 70 ") == true)
        #expect(lines.dropFirst() == ["did 140", "watching", "did 70", "closed 0"])
    }

    @Test("A crowd that loses its connections tells when all of it is back, and how late")
    func back() async throws {
        let server = try EchoServer()
        defer { server.close() }
        let printed = Printed()
        try await Crowd.run(
            try CrowdLoad([server.url, "5"]), CommandLines(["watch", "back", "close"])
        ) { line in
            printed.add(line)
            if line == "watching" { server.dropAll() }
        }
        let words = printed.all[2].split(separator: " ").compactMap { Int($0) }
        #expect(printed.all[2].hasPrefix("back 5 "))
        #expect(words.count == 4)
        #expect(words[2] >= 1_000)
        #expect(words[3] == 1)
        #expect(printed.all.last == "closed 0")
    }

    @Test("A crowd refuses what is no command", arguments: ["", "dance", "round", "round 0"])
    func crowdMisuse(_ line: String) async throws {
        let server = try EchoServer()
        defer { server.close() }
        let load = try CrowdLoad([server.url, "1"])
        await #expect(throws: InstrumentMisuse.self) {
            try await Crowd.run(load, CommandLines([line])) { _ in }
        }
    }
}
