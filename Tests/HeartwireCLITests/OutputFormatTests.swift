import Foundation
import HeartwireProtocol
import Testing

@testable import HeartwireCLI

@Suite("OutputFormat")
struct OutputFormatTests {
    private let bytes: [UInt8] = [0x00, 0x0A, 0xFF, 0x0A]

    @Test("K12-04: a binary message is printed byte for byte, nothing is added")
    func binary() {
        #expect(OutputFormat.plain.bytes(of: .binary(bytes)) == bytes)
        #expect(OutputFormat.raw.bytes(of: .binary(bytes)) == bytes)
    }

    @Test("K12-04: a text message is printed as it is; plain ends it with LF")
    func text() {
        #expect(OutputFormat.plain.bytes(of: .text("a\nb")) == Array("a\nb\n".utf8))
        #expect(OutputFormat.raw.bytes(of: .text("a\nb")) == Array("a\nb".utf8))
    }

    @Test("K12-04: 200 KiB are printed whole")
    func large() {
        let large = [UInt8](repeating: 0x0A, count: 200 * 1024)
        #expect(OutputFormat.raw.bytes(of: .binary(large)) == large)
    }

    @Test("K12-04: every message can be had back from a line of JSON")
    func json() throws {
        let text = OutputFormat.json.bytes(of: .text("a\n\"b\u{1B}"))
        #expect(text.count { $0 == 0x0A } == 1 && text.last == 0x0A)
        let first = try JSONSerialization.jsonObject(with: Data(text)) as? [String: String]
        #expect(first == ["type": "text", "data": "a\n\"b\u{1B}"])
        let binary = OutputFormat.json.bytes(of: .binary(bytes))
        let second = try JSONSerialization.jsonObject(with: Data(binary)) as? [String: String]
        #expect(second == ["type": "binary", "base64": Data(bytes).base64EncodedString()])
    }
}
