import Foundation
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

/// The program that is killed stands beside the test bundle in the build directory.
private func childURL() -> URL? {
    let url = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("KillChild")
    return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
}

/// How many processes are killed: few in CI, as many as are asked for by `make kill-test KILLS=…`.
private let kills = ProcessInfo.processInfo.environment["HEARTWIRE_KILLS"].flatMap { Int($0) } ?? 6

/// What all children said and the server read.
private struct Tally {
    /// What was reported as stored, by id.
    var stored: [UInt64: String] = [:]
    /// How often each id was read by the server, and with which text.
    var received: [UInt64: (text: String, times: Int)] = [:]
    var faults: [String] = []

    mutating func hear(_ output: String) {
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "stored", let id = UInt64(words[1]) else {
                continue
            }
            if let other = stored[id] { faults.append("\(id) is \(other) and \(words[2])") }
            stored[id] = String(words[2])
        }
    }

    mutating func read(_ texts: [String]) {
        for text in texts {
            let words = text.split(separator: " ")
            guard words.count == 3, let id = UInt64(words[0]) else {
                faults.append("not ours: \(text)")
                continue
            }
            let earlier = received[id]
            if let earlier, earlier.text != words[2] { faults.append("\(id) has two texts") }
            if earlier != nil, words[1] != "again" { faults.append("\(id) again, not flagged") }
            received[id] = (String(words[2]), (earlier?.times ?? 0) + 1)
        }
        for (id, text) in stored where received[id].map({ $0.text != text }) ?? false {
            faults.append("\(id) arrived with another text")
        }
    }

    var lost: [UInt64] { stored.keys.filter { received[$0] == nil }.sorted() }
    var duplicated: Int { received.values.count { $0.times > 1 } }
}

@Suite("The kill test", .enabled(if: childURL() != nil), .serialized)
struct KillTests {
    private let folder: TemporaryFolder
    private let server: RecordingServer

    init() throws {
        folder = try TemporaryFolder()
        server = try RecordingServer()
    }

    /// Runs a child until it ends or `kill` says so. Answers what it said and its status.
    private func child(
        run: Int, point: String? = nil, killAfter: Duration? = nil, killAtPong: Bool = false
    ) throws -> (output: String, status: Int32, signalled: Bool) {
        let process = Process()
        let program = try #require(childURL())
        process.executableURL = program
        process.arguments = [server.url, folder.file(), "\(run)"] + (point.map { [$0] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let pid = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
        let limit = killAfter.map { Double($0.components.attoseconds) / 1e18 } ?? 40
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
        if killAtPong { server.onPong { kill(pid, SIGKILL) } }
        defer { server.onPong(nil) }
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        return (
            String(decoding: said, as: UTF8.self), process.terminationStatus,
            process.terminationReason == .uncaughtSignal
        )
    }

    private func drained(_ tally: inout Tally) throws {
        let last = try child(run: 0, point: "drain")
        #expect(last.status == 0, "\(last.output)")
        tally.read(server.received)
        #expect(tally.faults == [])
        #expect(tally.lost == [])
    }

    @Test(
        "K04-05, D4: killed at each stated point, nothing that was stored is lost, and it comes again with its id",
        arguments: [
            "before-insert", "after-insert", "after-write", "pong-on-the-wire",
            "after-confirmation", "after-removal",
        ])
    func statedPoints(point: String) throws {
        var tally = Tally()
        let isWire = point == "pong-on-the-wire"
        let killed = try child(run: 1, point: isWire ? nil : point, killAtPong: isWire)
        #expect(killed.signalled)
        tally.hear(killed.output)
        #expect(tally.stored.isEmpty == (point == "before-insert"))
        try drained(&tally)
    }

    @Test("K04-05, D4: killed at random, again and again, nothing that was stored is lost")
    func random() throws {
        var tally = Tally()
        var random = SplitMix64(seed: UInt64.random(in: 0 ... .max))
        for run in 1...max(1, kills) {
            let life = Duration.milliseconds(Int64(30 + random.next() % 300))
            tally.hear(try child(run: run, killAfter: life).output)
        }
        try drained(&tally)
        print(
            "kill test: \(kills) kills, \(tally.stored.count) reported stored,",
            "\(tally.lost.count) lost, \(tally.duplicated) duplicated,",
            "\(tally.received.count) delivered in all")
    }
}
