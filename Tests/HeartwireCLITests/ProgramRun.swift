import Dispatch
import Foundation
import HeartwireSocket
import Synchronization
import Testing

@testable import HeartwireCLI

/// What the built program did.
struct ProgramRun: Sendable {
    var status: Int32
    var output: [UInt8]
    var diagnostics: String

    var text: String { String(decoding: output, as: UTF8.self) }
}

/// The program stands beside the test bundle in the build directory.
func programURL() -> URL? {
    let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return ["heartwire", "HeartwireCLI"].map { directory.appendingPathComponent($0) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

/// The built program as a running process. It is killed when it has not ended in time, so that no test hangs. Its
/// waiting is done on threads of its own: those of the shared pool are needed by other tests.
///
/// One task uses it at a time; that is what makes `@unchecked Sendable` true.
final class RunningProgram: @unchecked Sendable {
    /// How long one process may live: longer than any test takes, also under a sanitizer on a busy machine.
    private static let limit = DispatchTimeInterval.seconds(300)

    private let process = Process()
    private let input = TestPipe()
    private let output = TestPipe()
    private let diagnostics = TestPipe()
    private var isInputOpen = true
    private let collected = Collected()
    private let watchdog: DispatchWorkItem

    /// What nobody reads, from the beginning.
    enum Blocked { case nothing, output, diagnostics }

    /// Starts the program with `arguments`.
    init(_ arguments: [String], blocked: Blocked = .nothing) throws {
        let program = try #require(programURL())
        let process = process
        watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle(fileDescriptor: input.readEnd)
        process.standardOutput = FileHandle(fileDescriptor: output.writeEnd)
        process.standardError = FileHandle(fileDescriptor: diagnostics.writeEnd)
        for end in [input.writeEnd, output.readEnd, diagnostics.readEnd] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        switch blocked {
        case .nothing: break
        case .output: output.fillUp()
        case .diagnostics: diagnostics.fillUp()
        }
        try process.run()
        input.closeReadEnd()
        output.closeWriteEnd()
        diagnostics.closeWriteEnd()
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit, execute: watchdog)
        if blocked != .diagnostics { collected.begin(diagnostics) }
    }

    /// Writes to the standard input on a thread of its own, and then ends it where `ends` says so.
    func feed(_ bytes: [UInt8], ends: Bool = true) {
        if ends { isInputOpen = false }
        let input = input
        DispatchQueue(label: "feed").async {
            try? input.writer.write(bytes)
            if ends { input.closeWriteEnd() }
        }
    }

    /// The next line of the standard output with its LF; what there is, at the end of the output.
    func line() async -> String {
        await offPool { [output] in
            var byte: UInt8 = 0
            var line: [UInt8] = []
            while read(output.readEnd, &byte, 1) == 1 {
                line.append(byte)
                if byte == 0x0A { break }
            }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// Returns when the standard error holds `text`; `false` when it ended before.
    func waitForDiagnostics(_ text: String) async -> Bool {
        await offPool { [collected] in collected.wait(for: text) }
    }

    /// Returns once the program has begun to watch for SIGTERM.
    func waitUntilWatching() async throws {
        #if os(Linux)
            let status = "/proc/\(process.processIdentifier)/status"
            let caught = UInt64(1) << UInt64(SIGTERM - 1)
            while true {
                let text = try String(contentsOfFile: status, encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
                let digits = line?.split(separator: "\t").last ?? ""
                if (UInt64(digits, radix: 16) ?? 0) & caught != 0 { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        #else
            try await Task.sleep(for: .seconds(1))
        #endif
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The reader of the output goes away.
    func closeOutput() { output.closeReadEnd() }

    /// Waits for the end; the rest of the output is taken unless it was closed.
    func end(outputIsClosed: Bool = false) async -> ProgramRun {
        await offPool {
            let printed = outputIsClosed ? [] : self.output.readToEnd()
            self.process.waitUntilExit()
            self.watchdog.cancel()
            if !outputIsClosed { self.output.closeReadEnd() }
            if self.isInputOpen { self.input.closeWriteEnd() }
            return ProgramRun(
                status: self.process.terminationStatus, output: printed,
                diagnostics: self.collected.all())
        }
    }

    /// Waits for the end of a program with something blocked, and takes nothing of what it wrote.
    func statusAtEnd() async -> Int32 {
        await offPool {
            self.process.waitUntilExit()
            self.watchdog.cancel()
            self.output.closeReadEnd()
            self.diagnostics.closeReadEnd()
            if self.isInputOpen { self.input.closeWriteEnd() }
            return self.process.terminationStatus
        }
    }

    /// Asks the program to stop and does not wait for that.
    func abandon() {
        watchdog.cancel()
        process.terminate()
        output.closeReadEnd()
        if isInputOpen { input.closeWriteEnd() }
    }
}

/// Does work that blocks on a thread of its own.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withHandover { handover in
        DispatchQueue(label: "blocking").async { handover.resume(returning: work()) }
    }
}

/// The standard error as it grows.
private final class Collected: Sendable {
    private let bytes = Locked<[UInt8]>([])
    private let changed = DispatchSemaphore(value: 0)
    private let ended = Atomic<Bool>(false)

    func begin(_ pipe: TestPipe) {
        DispatchQueue(label: "diagnostics").async {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(pipe.readEnd, &buffer, buffer.count)
                guard count > 0 else { break }
                self.bytes.withLock { $0 += buffer[..<count] }
                self.changed.signal()
            }
            pipe.closeReadEnd()
            self.ended.store(true, ordering: .releasing)
            self.changed.signal()
        }
    }

    private var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func wait(for expected: String) -> Bool {
        while !text.contains(expected) {
            if ended.load(ordering: .acquiring) { return text.contains(expected) }
            changed.wait()
        }
        return true
    }

    func all() -> String {
        while !ended.load(ordering: .acquiring) { changed.wait() }
        return text
    }
}

/// Runs the program with `input`, to its end.
func runProgram(_ arguments: [String], input: [UInt8] = []) async throws -> ProgramRun {
    let program = try RunningProgram(arguments)
    program.feed(input)
    return await program.end()
}

/// The built program as an endpoint on a free port.
final class EndpointProgram {
    let url: String
    private let program: RunningProgram

    init(_ arguments: [String] = ["--quiet"]) async throws {
        program = try RunningProgram(["endpoint"] + arguments)
        let line = await program.line()
        try #require(line.hasPrefix("listening ws://"))
        url = String(line.dropFirst("listening ".count).dropLast())
    }

    deinit { program.abandon() }
}
