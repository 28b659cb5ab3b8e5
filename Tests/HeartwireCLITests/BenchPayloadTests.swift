import Foundation
import Testing

@testable import HeartwireCLI

@Suite("Text for a measurement of compression")
struct BenchPayloadTests {
    private func withFile<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("bench-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private func problem(_ path: String) -> String? {
        do throws(BenchPayloadError) {
            _ = try BenchPayload.text(at: path)
            return nil
        } catch {
            #expect("\(error)".hasSuffix(": \(error.problem)"))
            return error.problem
        }
    }

    @Test("The file is the text, whole")
    func whole() throws {
        for text in ["", "Grüße\n", String(repeating: "x", count: 200_000)] {
            let read = try withFile(Array(text.utf8)) { try BenchPayload.text(at: $0) }
            #expect(read == text)
        }
    }

    @Test("What cannot be read, is too long or is no UTF-8 is refused in one line")
    func refused() throws {
        #expect(problem("/nowhere/at/all") != nil)
        #expect(problem("/") != nil)
        #expect(try withFile([0x41, 0xFF]) { problem($0) } == "not UTF-8")
        let long = [UInt8](repeating: 0x41, count: BenchPayload.byteLimit + 1)
        #expect(try withFile(long) { problem($0) } == "more than \(BenchPayload.byteLimit) bytes")
    }
}
