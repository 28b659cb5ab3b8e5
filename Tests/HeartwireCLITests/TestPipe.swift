import Dispatch

@testable import HeartwireCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pipe for one test. What is written through `writer` can be read back.
final class TestPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() {
        // The program itself does this first thing; a test that writes into a closed pipe needs it too.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    var writer: DescriptorWriter { DescriptorWriter(descriptor: writeEnd) }

    /// Writes `bytes` and closes the write end, on a thread that may block: those of the shared pool are as few as
    /// the processors, and the reader needs one.
    func feed(_ bytes: [UInt8]) {
        DispatchQueue(label: "feed").async {
            try? self.writer.write(bytes)
            self.closeWriteEnd()
        }
    }

    /// What fits into a pipe, there at once.
    func fill(_ bytes: [UInt8]) {
        try? writer.write(bytes)
        closeWriteEnd()
    }

    /// Leaves no room: the next write waits for a reader.
    func fillUp() {
        let flags = fcntl(writeEnd, F_GETFL)
        _ = fcntl(writeEnd, F_SETFL, flags | O_NONBLOCK)
        var byte: UInt8 = 0
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(writeEnd, block, block.count) > 0 || write(writeEnd, &byte, 1) > 0 {}
        _ = fcntl(writeEnd, F_SETFL, flags)
    }

    func makeNonBlocking() {
        for end in [readEnd, writeEnd] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }

    func closeWriteEnd() { close(writeEnd) }

    func closeReadEnd() { close(readEnd) }

    /// Closes the write end and gives everything that was written.
    func finish() -> String {
        closeWriteEnd()
        defer { closeReadEnd() }
        return String(decoding: readToEnd(), as: UTF8.self)
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(readEnd, &buffer, buffer.count)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }
}
