import Foundation
import Testing

@testable import HeartwireCLI

/// What the built program did.
private struct Ran {
    var status: Int32
    var output: String
    var diagnostics: String
}

/// Runs the program through a shell, which can close and redirect what a test wants closed and redirected.
private func shell(_ script: String) throws -> Ran {
    let program = try #require(programURL())
    let (output, diagnostics) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script, program.path]
    process.standardOutput = output
    process.standardError = diagnostics
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let told = diagnostics.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Ran(
        status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
        diagnostics: String(decoding: told, as: UTF8.self))
}

@Suite("The program heartwire", .enabled(if: programURL() != nil), .serialized)
struct HeartwireCommandTests {
    @Test(
        "help and version go to the output with status 0",
        arguments: ["--help", "help", "help accept", "bench --help", "--version"])
    func help(arguments: String) throws {
        let ran = try shell("\"$0\" \(arguments)")
        #expect(ran.status == 0)
        #expect(ran.diagnostics == "")
        #expect(ran.output.hasPrefix(arguments == "--version" ? "heartwire " : "Usage: heartwire "))
    }

    @Test("without a command the usage goes to the diagnostics with status 2")
    func nothing() throws {
        let ran = try shell("\"$0\"")
        #expect(ran.status == 2)
        #expect(ran.output == "")
        #expect(ran.diagnostics.hasPrefix("Usage: heartwire "))
    }

    @Test(
        "K12-01: a wrong command line is one line on the diagnostics and status 2",
        arguments: [
            "acept", "accept --intervall 1", "accept --interval", "accept --interval x", "accept x",
            "accept --virtual --url ws://h/", "connect", "connect http://h/", "bench --size -1",
            "accept --only no-such-scenario", "help nothing", "-x", "$'accept\\nx'",
        ])
    func misuse(arguments: String) throws {
        let ran = try shell("\"$0\" \(arguments)")
        #expect(ran.status == 2)
        #expect(ran.output == "")
        #expect(ran.diagnostics.count { $0 == "\n" } == 1)
        #expect(ran.diagnostics.hasPrefix("heartwire"))
    }

    @Test(
        "K12-01: an argument that is not UTF-8 is misuse, and never sent or opened in another form",
        arguments: [
            "connect $'ws://h\\xff/'", "connect ws://127.0.0.1:1/ --header $'A: \\xff'",
            "connect ws://127.0.0.1:1/ --journal $'/tmp/\\xff'", "$'\\xc0\\x80'",
        ])
    func foreignBytes(arguments: String) throws {
        let ran = try shell("\"$0\" \(arguments)")
        #expect(ran.status == 2)
        #expect(ran.output == "")
        let number = arguments.split(separator: " ").count { $0 != "$'A:" }
        #expect(
            ran.diagnostics
                == "heartwire: argument \(number) is not UTF-8; see 'heartwire --help'\n")
    }

    @Test("a reader of the output that has gone ends the program quietly")
    func brokenPipe() throws {
        let ran = try shell("\"$0\" --help | true; echo \"${PIPESTATUS[0]}\"")
        #expect(ran.output == "0\n")
        #expect(ran.diagnostics == "")
    }

    @Test(
        "an output that is closed or full is a failure with a line",
        arguments: [">&-", ">/dev/full"])
    func unwritable(redirection: String) throws {
        let ran = try shell("\"$0\" --version \(redirection)")
        #expect(ran.status == 1)
        #expect(ran.diagnostics.hasPrefix("heartwire: cannot write the output: "))
    }

    @Test("closed standard descriptors do no harm to the status")
    func closedDescriptors() throws {
        #expect(try shell("\"$0\" --version <&- 2>&-").status == 0)
        #expect(try shell("\"$0\" acept <&- >&- 2>&-").status == 2)
    }
}
