import HeartwireProtocol
import Testing

@testable import HeartwireCLI

@Suite("LineMessage")
struct LineMessageTests {
    @Test("a line is a text message, or with --binary a binary one")
    func kinds() throws {
        let line = Array("grün\r".utf8)
        #expect(try message(fromLine: line, number: 1, isBinary: false) == .text("grün\r"))
        #expect(try message(fromLine: line, number: 1, isBinary: true) == .binary(line))
        #expect(try message(fromLine: [], number: 1, isBinary: false) == .text(""))
    }

    @Test("RFC 6455 8.1: a line that is not UTF-8 is no text message, and its number is told")
    func notUTF8() throws {
        let line: [UInt8] = [0x61, 0xC3]
        #expect(throws: InputError.notUTF8(line: 4)) {
            try message(fromLine: line, number: 4, isBinary: false)
        }
        #expect(try message(fromLine: line, number: 4, isBinary: true) == .binary(line))
    }
}
