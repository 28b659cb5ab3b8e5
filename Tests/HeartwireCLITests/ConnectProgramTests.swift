import Foundation
import HeartwireProtocol
import Testing

@testable import HeartwireCLI

/// `heartwire connect` as a process, in real time.
@Suite("The program heartwire connect", .enabled(if: programURL() != nil), .serialized)
struct ConnectProgramTests {
    private let endpoint: EndpointProgram

    init() async throws { endpoint = try await EndpointProgram() }

    private func connect(
        _ query: String = "", _ words: [String] = [], input: String = ""
    ) async throws -> ProgramRun {
        try await runProgram(["connect"] + words + [endpoint.url + query], input: Array(input.utf8))
    }

    // MARK: K12-01

    @Test("K12-01: a clean run ends with 0, its messages on the output and its states beside it")
    func clean() async throws {
        let ran = try await connect(input: "a\nb")
        #expect(ran.status == 0)
        #expect(ran.text == "a\nb\n")
        #expect(
            ran.diagnostics == """
                heartwire: connecting to \(endpoint.url)
                heartwire: open
                heartwire: closing
                heartwire: closed by the app (1000), the peer answered 1000

                """)
    }

    @Test("K12-01: a refused port is status 3 with its cause, and nothing on the output")
    func refusedPort() async throws {
        let ran = try await runProgram(["connect", "ws://127.0.0.1:1/"], input: Array("a\n".utf8))
        #expect(ran.status == 1)
        #expect(ran.output == [])
        #expect(
            ran.diagnostics.hasSuffix(
                "\nheartwire: cannot connect: connection refused (errno 111)\n"))
    }

    @Test(
        "K12-01: when the first attempt fails, that is the end, with a line that says what happened",
        arguments: [
            ("?refuse=429&retry-after=7", "HTTP 429 Too Many Requests; Retry-After: 7", Int32(4)),
            ("?refuse=garbage", "bad opening handshake: RFC 6455 4.1", 5),
            ("?refuse=badaccept", "bad opening handshake: RFC 6455 4.1", 5),
            ("?refuse=reset", "connection reset by the peer", 1),
            ("?refuse=silence", "not open in time (upgrade)", 7),
            ("?bogus=1", "HTTP 400 Bad Request", 4),
        ])
    func firstAttempt(query: String, words: String, status: Int32) async throws {
        let ran = try await connect(query, ["--connect-timeout", "300ms"], input: "a\n")
        #expect(ran.status == status)
        #expect(ran.output == [])
        #expect(ran.diagnostics.split(separator: "\n").last?.contains(words) == true)
    }

    @Test(
        "K12-01: misuse is status 2, a journal that cannot be written is status 1, before connecting"
    )
    func misuse() async throws {
        #expect(try await connect("", ["--interval", "0"]).status == 2)
        #expect(try await connect("", ["--journal", ""]).status == 2)
        let ran = try await connect("", ["--journal", "/nonexistent/journal"])
        #expect(ran.status == 1)
        #expect(
            ran.diagnostics
                == "heartwire: cannot write the journal /nonexistent/journal: No such file or directory\n"
        )
    }

    // MARK: K12-02

    @Test("K12-02: without any input, what arrives within the linger time is printed")
    func linger() async throws {
        let ran = try await connect("?hello=3x2", ["--linger", "300ms"])
        #expect(ran.status == 0)
        #expect(ran.text.count { $0 == "\n" } == 3)
    }

    @Test("K12-02: --linger 0 closes at once, behind what was queued")
    func noLinger() async throws {
        let ran = try await connect("?echo=off", ["--linger", "0"], input: "a\n")
        #expect(ran.status == 0)
        #expect(ran.output == [])
    }

    @Test("K12-02: --until-close waits for the server, which closes with 1000: status 0")
    func untilClose() async throws {
        let ran = try await connect("?close=1000:done@300", ["--until-close"])
        #expect(ran.status == 0)
        #expect(ran.diagnostics.contains("closed by the peer: 1000 \"done\"\n"))
    }

    // MARK: K12-04

    private static let messages: [UInt8] =
        [0x82, 0x04, 0x00, 0x0A, 0xFF, 0x0A] + [0x81, 0x03, 0x61, 0x0A, 0x62] + [0x88, 0x00]

    @Test(
        "K12-04: bytes are printed as they came, in each format",
        arguments: [
            ("raw", "\u{0}\n\u{1}\na\nb"),
            ("plain", "\u{0}\n\u{1}\na\nb\n"),
            (
                "json",
                "{\"type\":\"binary\",\"base64\":\"AAr/Cg==\"}\n{\"type\":\"text\",\"data\":\"a\\nb\"}\n"
            ),
        ])
    func formats(format: String, expected: String) async throws {
        let server = ScriptedServer.open(sending: Self.messages)
        let ran = try await runProgram(
            ["connect", "--no-reconnect", "--until-close", "--format", format, server.url])
        #expect(ran.status == 0)
        // 0xFF cannot stand in a string: U+0001 stands for it.
        #expect(ran.output == expected.utf8.map { $0 == 0x01 ? 0xFF : $0 })
    }

    @Test("K12-04: 200 KiB of binary are not split, and nothing is added")
    func largeBinary() async throws {
        let payload = (0..<204_800).map { UInt8(truncatingIfNeeded: $0) }
        let length: [UInt8] = [0, 0, 0, 0, 0, 3, 0x20, 0]
        let server = ScriptedServer.open(sending: [0x82, 127] + length + payload + [0x88, 0])
        let ran = try await runProgram(["connect", "--no-reconnect", "--until-close", server.url])
        #expect(ran.status == 0)
        #expect(ran.output == payload)
    }

    // MARK: K12-05

    @Test("K12-05: a line of 1,000,000 bytes without an end is one message")
    func longLine() async throws {
        let line = String(repeating: "x", count: 1_000_000)
        let ran = try await connect("", ["--format", "json"], input: line)
        #expect(ran.status == 0)
        #expect(ran.text == "{\"type\":\"text\",\"data\":\"\(line)\"}\n")
    }

    @Test("K12-05: ten lines of 70,000 bytes are ten messages")
    func longLines() async throws {
        let line = String(repeating: "y", count: 70_000) + "\n"
        let ran = try await connect(input: String(repeating: line, count: 10))
        #expect(ran.status == 0)
        #expect(ran.text == String(repeating: line, count: 10))
    }

    @Test("K12-05: a line over the limit is not cut but an error")
    func overLimit() async throws {
        let ran = try await connect("", ["--max-line", "5"], input: "12345\n123456\n")
        #expect(ran.status == 1)
        #expect(
            ran.diagnostics.hasSuffix(
                "\nheartwire: line 2 of the input has more than 5 bytes: raise --max-line\n"))
    }

    // MARK: K12-09

    @Test("K12-09: code, reason and who closed are told; a hostile reason is escaped")
    func peerClose() async throws {
        let ran = try await connect(
            "?close=4400:bad%20%1B%5B2Jjson", ["--no-reconnect", "--until-close"])
        #expect(ran.status == 6)
        #expect(
            ran.diagnostics.hasSuffix(
                "heartwire: closed by the peer: 4400 \"bad \\u{1B}[2Jjson\"\n"))
    }

    @Test("K12-09: HTTP 200 with a page is told with its status, type and first bytes, escaped")
    func page() async throws {
        let body = "<html>\u{1B}]0;owned\u{7}" + String(repeating: "x", count: 300)
        let server = ScriptedServer { _ in
            Array(
                """
                HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n\r
                \(body)
                """.utf8)
        }
        let ran = try await runProgram(["connect", server.url])
        #expect(ran.status == 4)
        #expect(
            ran.diagnostics.contains(
                "HTTP 200 OK; Content-Type: text/html; it says: <html>\\u{1b}]0;owned\\u{7}xxx"))
        #expect(!ran.diagnostics.contains("\u{1B}"))
        #expect(ran.diagnostics.hasSuffix("x…\n"))
    }

    // MARK: The session

    @Test("H4: a server that answers no ping is given up")
    func heartbeat() async throws {
        let ran = try await connect(
            "?pong=off",
            ["--interval", "50", "--timeout", "100", "--no-reconnect", "--until-close"])
        #expect(ran.status == 7)
        #expect(ran.diagnostics.hasSuffix("heartwire: no pong in time\n"))
    }

    @Test("J2: the journal is a file of JSON Lines without contents, header values or queries")
    func journal() async throws {
        let path = NSTemporaryDirectory() + "heartwire-journal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let ran = try await connect(
            "?hello=1x5", ["--journal", path, "--header", "Authorization: canary-1"],
            input: "canary-2\n")
        #expect(ran.status == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("canary") && !text.contains("hello"))
        let lines = try text.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let kinds = lines.compactMap { $0["kind"] as? String }
        #expect(kinds.first == "connect-requested")
        #expect(lines.contains { $0["new_state"] as? String == "stopped" })
        #expect(kinds.count { $0 == "closed" } == 1)
    }

    @Test("R2: a lost connection is made anew, and lines wait for it")
    func again() async throws {
        let program = try RunningProgram(["connect", endpoint.url + "?drop=fin@300"])
        #expect(await program.waitForDiagnostics("attempt 1 follows in 1."))
        program.feed(Array("waited\n".utf8))
        let ran = await program.end()
        #expect(ran.text == "waited\n")
        #expect(ran.diagnostics.contains("?…, attempt 1\nheartwire: open\n"))
    }

    @Test("a reader of the output that has gone ends the session in order with status 0")
    func brokenPipe() async throws {
        let program = try RunningProgram(["connect", endpoint.url])
        program.closeOutput()
        program.feed(Array("a\n".utf8), ends: false)
        let ran = await program.end(outputIsClosed: true)
        #expect(ran.status == 0)
        // Behind it stands that the line was not sent, if it was read in time.
        #expect(ran.diagnostics.contains("closed by the app (1000), the peer answered 1000\n"))
    }

    @Test("a reader that goes away while no message comes and the input is open ends it, too")
    func brokenPipeInSilence() async throws {
        let program = try RunningProgram(["connect", endpoint.url])
        #expect(await program.waitForDiagnostics("heartwire: open\n"))
        program.closeOutput()
        let ran = await program.end(outputIsClosed: true)
        #expect(ran.status == 0)
        #expect(ran.diagnostics.hasSuffix("closed by the app (1000), the peer answered 1000\n"))
    }

    @Test("K12-04: what a slow reader of the output leaves no room for is not lost in silence")
    func slowReader() async throws {
        let server = try RunningProgram(["endpoint"])
        let url = String(await server.line().dropFirst("listening ".count).dropLast())
        let program = try RunningProgram(
            ["connect", "--no-reconnect", "--linger", "100", url + "?hello=20000x1000"])
        program.feed([])
        // Nothing of the output is read until all of it has come.
        while !(await server.line()).contains("\"ended\"") {}
        server.send(SIGTERM)
        _ = await server.end()
        let ran = await program.end()
        #expect(ran.status == 1)
        #expect(ran.diagnostics.contains(" messages came during the close and found no room"))
    }
}

/// Signals at every stage of `heartwire connect`.
@Suite("K12-07: signals", .enabled(if: programURL() != nil), .serialized)
struct ConnectSignalTests {
    private let endpoint: EndpointProgram

    init() async throws { endpoint = try await EndpointProgram() }

    private func start(_ query: String, _ words: [String] = []) throws -> RunningProgram {
        try RunningProgram(["connect"] + words + [endpoint.url + query])
    }

    @Test(
        "K12-07: the first signal closes an open connection in order, with 130 or 143",
        arguments: [(Int32(SIGINT), Int32(130)), (Int32(SIGTERM), Int32(143))])
    func open(signal: Int32, status: Int32) async throws {
        let program = try start("")
        #expect(await program.waitForDiagnostics("heartwire: open\n"))
        program.send(signal)
        let ran = await program.end()
        #expect(ran.status == status)
        #expect(ran.diagnostics.hasSuffix("closed by the app (1001), the peer answered 1001\n"))
    }

    @Test("K12-07: a signal ends the wait for the handshake's answer at once")
    func upgrade() async throws {
        let program = try start("?refuse=silence")
        #expect(await program.waitForDiagnostics("connecting to"))
        program.send(SIGINT)
        #expect(await program.end().status == 130)
    }

    @Test("K12-07: a signal ends the wait for the next attempt at once")
    func waiting() async throws {
        let program = try start("?close=1012")
        #expect(await program.waitForDiagnostics("attempt 1 follows"))
        program.send(SIGINT)
        #expect(await program.end().status == 130)
    }

    @Test(
        "K12-07: a blocked write delays the end no longer than the close timeout; the loss is told")
    func blockedWrite() async throws {
        let program = try start("?freeze@0", ["--close-timeout", "300ms"])
        #expect(await program.waitForDiagnostics("heartwire: open\n"))
        var input = [UInt8](repeating: 0x78, count: 24 << 20)
        for end in 1..<24 { input[end << 20] = 0x0A }
        program.feed(input)
        program.send(SIGTERM)
        let ran = await program.end()
        #expect(ran.status == 143)
        #expect(ran.diagnostics.contains("closed by the app (1001), not confirmed by the peer\n"))
    }

    @Test(
        "K12-07: a standard error that nobody reads holds nothing up, neither a message nor the close"
    )
    func blockedDiagnostics() async throws {
        let endpoint = try await EndpointProgram()
        let program = try RunningProgram(["connect", endpoint.url], blocked: .diagnostics)
        program.feed(Array("a\n".utf8), ends: false)
        #expect(await program.line() == "a\n")
        program.send(SIGTERM)
        #expect(await program.statusAtEnd() == 143)
    }

    @Test(
        "K12-07: one signal ends a command whose output or last words nobody reads",
        arguments: [
            (["endpoint"], .output), (["simulate", "worlds", "--seeds", "5"], .output),
            (["connect", "ws://127.0.0.1:1/"], .diagnostics),
        ] as [([String], RunningProgram.Blocked)])
    func blockedForGood(arguments: [String], blocked: RunningProgram.Blocked) async throws {
        let program = try RunningProgram(arguments, blocked: blocked)
        try await program.waitUntilWatching()
        program.send(SIGTERM)
        #expect(await program.statusAtEnd() == 143)
    }

    @Test("K12-07: a second signal ends a close that nobody answers at once")
    func second() async throws {
        let program = try start("?freeze@0", ["--close-timeout", "60m"])
        #expect(await program.waitForDiagnostics("heartwire: open\n"))
        program.send(SIGINT)
        #expect(await program.waitForDiagnostics("heartwire: closing\n"))
        program.send(SIGINT)
        #expect(await program.end().status == 130)
    }
}
