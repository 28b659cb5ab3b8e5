import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

private func line(_ words: String...) -> String? {
    do {
        _ = try CommandRequest(arguments: words)
        return nil
    } catch {
        return error.description
    }
}

@Suite("CommandRequest")
struct CommandTableTests {
    @Test("help is had as --help, help, help CMD and CMD --help")
    func help() throws {
        #expect(try CommandRequest(arguments: ["--help"]) == .overview)
        #expect(try CommandRequest(arguments: ["-h"]) == .overview)
        #expect(try CommandRequest(arguments: ["help"]) == .overview)
        #expect(try CommandRequest(arguments: ["help", "--help"]) == .overview)
        for command in Command.allCases {
            #expect(try CommandRequest(arguments: ["help", command.rawValue]) == .help(command))
            #expect(try CommandRequest(arguments: [command.rawValue, "--help"]) == .help(command))
        }
    }

    @Test("nothing at all is told apart, and the version stands alone")
    func edges() throws {
        #expect(try CommandRequest(arguments: []) == .nothing)
        #expect(try CommandRequest(arguments: ["--version"]) == .version)
        #expect(
            line("--version", "x") == "heartwire: unexpected argument 'x'; see 'heartwire --help'")
    }

    @Test("an unknown command or option is named with the nearest, in one line")
    func unknown() {
        #expect(
            line("acept")
                == "heartwire: unknown command 'acept' (did you mean 'accept'?); see 'heartwire --help'"
        )
        #expect(
            line("help", "benhc")
                == "heartwire: unknown command 'benhc' (did you mean 'bench'?); see 'heartwire --help'"
        )
        #expect(
            line("--versoin")
                == "heartwire: unknown option '--versoin' (did you mean '--version'?); see 'heartwire --help'"
        )
        #expect(line("a\nb")?.contains("\n") == false)
        #expect(
            line("help", "accept", "x")
                == "heartwire: unexpected argument 'x'; see 'heartwire --help'")
    }

    @Test("a wrong argument of a command sends its reader to that command's help")
    func wrongArgument() {
        #expect(line("bench", "x", "1")?.hasSuffix("; see 'heartwire bench --help'") == true)
    }
}

@Suite("Options of the commands")
struct CommandOptionsTests {
    private func accept(_ words: String...) throws -> AcceptOptions? {
        guard case .accept(let options) = try CommandRequest(arguments: ["accept"] + words) else {
            return nil
        }
        return options
    }

    @Test("accept needs no arguments")
    func acceptDefaults() throws {
        let options = try #require(try accept())
        #expect(options.url == nil && !options.isVirtual && !options.isList && options.only.isEmpty)
        #expect(options.interval == .milliseconds(100) && options.timeout == .milliseconds(300))
        #expect(options.format == .table && options.output == nil)
    }

    @Test(
        "accept takes the form of its report, and a file for it",
        arguments: ReportFormat.allCases)
    func formats(format: ReportFormat) throws {
        let options = try accept("--format", format.rawValue, "--output=r")
        #expect(options?.format == format && options?.output == "r")
        #expect(throws: UsageError.self) { try accept("--format", "xml") }
        #expect(throws: UsageError.self) { try accept("--output", "") }
    }

    @Test("P3: accept goes to a wss URL, with the options of TLS that connect has")
    func secureAccept() throws {
        #expect(try accept("--url", "wss://h/")?.tls == ClientTLSOptions())
        let options = try #require(try accept("--url=wss://h/", "--insecure", "--cert=a"))
        #expect(options.url?.isSecure == true && options.tls.isInsecure)
        #expect(options.tls.identity == IdentityFiles(certificate: "a", key: "a"))
    }

    @Test("accept refuses what contradicts itself")
    func contradictions() {
        #expect(throws: UsageError.self) { try accept("--virtual", "--url", "ws://h/") }
        #expect(throws: UsageError.self) { try accept("--insecure") }
        #expect(throws: UsageError.self) { try accept("--url", "ws://h/", "--ca", "f") }
    }

    @Test("accept refuses settings that the endpoint could not be asked to meet")
    func settings() throws {
        #expect(try accept("--interval=60m", "--timeout=60m")?.timeout == .seconds(3_600))
        #expect(throws: UsageError.self) { try accept("--interval=3600001") }
        #expect(throws: UsageError.self) { try accept("--timeout=61m") }
        #expect(throws: UsageError.self) { try accept("--timeout=0") }
    }

    @Test("a wrong URL is misuse in every command that takes one")
    func wrongURL() {
        #expect(throws: UsageError.self) { try accept("--url", "h") }
        for wrong in ["h", "http://h/", "ws://h:99999", "ws://h/#x", ""] {
            #expect(throws: UsageError.self) {
                try CommandRequest(arguments: ["autobahn", wrong])
            }
        }
    }

    @Test("bench takes what the peers' contract says, in its order")
    func bench() throws {
        func bench(_ words: String...) throws -> CommandRequest {
            try CommandRequest(arguments: ["bench"] + words)
        }
        let load = BenchLoad(port: 9_000, size: 64, window: 256, kind: .text, seconds: 0.5)
        #expect(try bench("client", "9000", "64", "256", "t", "0.5") == .bench(.client(load)))
        #expect(try bench("server", "9000") == .bench(.server(port: 9_000)))
        let compressed = BenchLoad(
            port: 9_000, size: 64, window: 1, kind: .deflate, seconds: 1, file: "text.txt")
        #expect(
            try bench("client", "9000", "64", "1", "d", "1", "text.txt")
                == .bench(.client(compressed)))
        var native = load
        native.transport = .urlsession
        #expect(
            try bench("client", "--transport=urlsession", "9000", "64", "256", "t", "0.5")
                == .bench(.client(native)))
        #expect(
            try bench("client", "9000", "64", "256", "t", "0.5", "--transport", "socket")
                == .bench(.client(load)))
    }

    @Test(
        "bench refuses what is missing, too much or out of bounds",
        arguments: [
            [], ["client"], ["walk", "1"], ["client", "0", "1", "1", "b", "1"],
            ["client", "65536", "1", "1", "b", "1"], ["client", "9", "1", "1", "b"],
            ["client", "9", "-1", "1", "b", "1"], ["client", "9", "1", "0", "b", "1"],
            ["client", "9", "1", "1", "x", "1"], ["client", "9", "1", "1", "b", "0"],
            ["client", "9", "1", "1", "b", "nan"], ["client", "9", "1", "1", "b", "1", "f", "g"],
            ["client", "9", "1", "1", "d", "1"], ["client", "9", "1", "1", "t", "1", "f"],
            ["server", "9", "1"], ["server", "x"], ["nosuch"],
            ["server", "9", "--transport=socket"], ["deliver", "--transport=socket"],
            ["client", "9", "1", "1", "b", "1", "--transport=pigeon"],
            ["client", "9", "1", "1", "b", "1", "--transport=socket", "--count=1"],
        ])
    func wrongBench(_ words: [String]) {
        #expect(throws: UsageError.self) { try CommandRequest(arguments: ["bench"] + words) }
    }
}
