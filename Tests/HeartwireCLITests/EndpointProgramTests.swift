import Foundation
import Testing

@testable import HeartwireCLI

/// `heartwire endpoint` as a process, in real time.
@Suite("The program heartwire endpoint", .enabled(if: programURL() != nil), .serialized)
struct EndpointProgramTests {
    private func url(_ program: RunningProgram) async -> String {
        String(await program.line().dropFirst("listening ".count).dropLast())
    }

    private func lines(_ count: Int, of program: RunningProgram) async -> [String] {
        var lines: [String] = []
        for _ in 0..<count { lines.append(await program.line()) }
        return lines
    }

    @Test("A1: the first line tells the URL, the journal follows, and no contents are in it")
    func journal() async throws {
        let program = try RunningProgram(["endpoint"])
        let url = await url(program)
        #expect(url.hasPrefix("ws://127.0.0.1:") && url.hasSuffix("/"))
        let ran = try await runProgram(
            ["connect", "--linger", "100", url], input: Array("canary\n".utf8))
        #expect(ran.text == "canary\n")
        let lines = await self.lines(7, of: program)
        let events = lines.map { line in
            line.split(separator: "\"event\":\"").last?.prefix { $0 != "\"" } ?? ""
        }
        #expect(
            events == [
                "accepted", "requested", "opened", "message", "close-received", "close-sent",
                "ended",
            ])
        #expect(!lines.joined().contains("canary"))
        program.send(SIGINT)
        let end = await program.end()
        #expect(end.status == 130 && end.output == [] && end.diagnostics == "")
    }

    @Test("it stops on SIGTERM with 143, and whoever is connected hears 1001")
    func terminate() async throws {
        let program = try RunningProgram(["endpoint", "--quiet"])
        let client = try RunningProgram(["connect", "--no-reconnect", await url(program)])
        #expect(await client.waitForDiagnostics("heartwire: open\n"))
        program.send(SIGTERM)
        #expect(await program.end().status == 143)
        let ran = await client.end()
        #expect(ran.status == 6)
        #expect(ran.diagnostics.contains("closed by the peer: 1001 \"the endpoint stops\"\n"))
    }

    @Test("K12-07: when the terminal goes it stops in order, with 129, however often it is told")
    func hangUp() async throws {
        let program = try RunningProgram(["endpoint", "--quiet"])
        let client = try RunningProgram(["connect", "--no-reconnect", await url(program)])
        #expect(await client.waitForDiagnostics("heartwire: open\n"))
        program.send(SIGHUP)
        program.send(SIGHUP)
        #expect(await program.end().status == 129)
        let ran = await client.end()
        #expect(ran.diagnostics.contains("closed by the peer: 1001 \"the endpoint stops\"\n"))
    }

    @Test("P3: an endpoint by TLS is known by its certificate, and to nobody else")
    func secure() async throws {
        let folder = FileManager.default.temporaryDirectory
        let copy = folder.appendingPathComponent("heartwire-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let program = try RunningProgram(["endpoint", "--quiet", "--tls", "--write-cert", copy])
        let url = await url(program)
        #expect(url.hasPrefix("wss://127.0.0.1:"))
        #expect(await program.waitForDiagnostics("key sha256/"))
        func connect(_ words: [String]) async throws -> ProgramRun {
            try await runProgram(
                ["connect", "--linger", "100"] + words + [url], input: Array("canary\n".utf8))
        }
        for words in [["--ca", copy], ["--insecure"]] {
            let ran = try await connect(words)
            #expect(ran.status == 0)
            #expect(ran.text == "canary\n")
        }
        let stranger = try await connect([])
        #expect(stranger.status == 3)
        #expect(stranger.diagnostics.contains("the server's certificate is not trusted"))
        let missing = try await connect(["--ca", "/does/not/exist"])
        #expect(missing.status == 1)
        #expect(missing.diagnostics.contains("cannot read /does/not/exist"))
        program.send(SIGTERM)
        #expect(await program.end().status == 143)
    }

    @Test("a busy port is status 1 with a line that says what to do")
    func busyPort() async throws {
        let first = try RunningProgram(["endpoint", "--quiet"])
        let port = await url(first).split(separator: ":").last?.dropLast() ?? ""
        let ran = try await runProgram(["endpoint", "--port", String(port)])
        #expect(ran.status == 1)
        #expect(ran.output == [])
        #expect(
            ran.diagnostics
                == "heartwire: port \(port) on 127.0.0.1 is in use: choose another, or 0 for a free one\n"
        )
        first.send(SIGINT)
        _ = await first.end()
    }

    @Test(
        "an address that is none of this machine, and a behaviour that there is not, are told",
        arguments: [
            (["--host", "192.0.2.1"], Int32(1), "192.0.2.1 is not an address of this machine"),
            (["--host", "example"], 1, "example is not an address of this machine"),
            (
                ["--behaviour", "pong=perhaps"], 2,
                "pong: expected on, off, double, wrong or late:MS"
            ),
        ])
    func wrong(words: [String], status: Int32, line: String) async throws {
        let ran = try await runProgram(["endpoint"] + words)
        #expect(ran.status == status)
        #expect(ran.output == [])
        #expect(ran.diagnostics.contains(line))
        #expect(ran.diagnostics.count { $0 == "\n" } == 1)
    }

    @Test("A1: --behaviour is for clients whose URL has no query")
    func behaviour() async throws {
        let endpoint = try await EndpointProgram(["--quiet", "--behaviour", "close=4001:default"])
        let words = ["connect", "--no-reconnect", "--until-close"]
        let plain = try await runProgram(words + [endpoint.url])
        #expect(plain.diagnostics.contains("4001 \"default\""))
        let asked = try await runProgram(words + [endpoint.url + "?close=4002"])
        #expect(asked.diagnostics.contains("closed by the peer: 4002"))
    }

    @Test("a reader of the journal that goes away ends it with status 0, quietly")
    func brokenPipe() async throws {
        let program = try RunningProgram(["endpoint"])
        let url = await url(program)
        program.closeOutput()
        _ = try await runProgram(["connect", "--no-reconnect", "--linger", "0", url])
        let ran = await program.end(outputIsClosed: true)
        #expect(ran.status == 0)
        #expect(ran.diagnostics == "")
    }

    @Test(
        "a reader that goes away ends it though nothing more is printed",
        arguments: [[], ["--quiet"]])
    func brokenPipeInSilence(words: [String]) async throws {
        let program = try RunningProgram(["endpoint"] + words)
        _ = await url(program)
        program.closeOutput()
        let ran = await program.end(outputIsClosed: true)
        #expect(ran.status == 0)
        #expect(ran.diagnostics == "")
    }

    @Test("an output that takes nothing is status 1 with a line")
    func fullOutput() async throws {
        let program = try #require(programURL())
        let status = try await withCheckedThrowingContinuation { continuation in
            let process = Process()
            process.executableURL = program
            process.arguments = ["endpoint"]
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            process.standardError = FileHandle.nullDevice
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        #expect(status == 1)
    }
}
