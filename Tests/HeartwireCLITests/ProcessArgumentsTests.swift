import Testing

@testable import HeartwireCLI

@Suite("ProcessArguments")
struct ProcessArgumentsTests {
    /// Gives `arguments` to the reader as the system does.
    private func read(_ arguments: [[UInt8]]) throws -> [String] {
        var pointers = arguments.map { bytes -> UnsafeMutablePointer<CChar>? in
            let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in (bytes + [0]).enumerated() {
                pointer[index] = CChar(bitPattern: byte)
            }
            return pointer
        }
        defer { for pointer in pointers { pointer?.deallocate() } }
        pointers.append(nil)
        return try ProcessArguments.read(pointers)
    }

    @Test("what stands behind the name comes as it was given")
    func plain() throws {
        #expect(try read([]) == [])
        #expect(try read([Array("name".utf8)]) == [])
        let words = ["", "connect", "ws://bücher/", "--", "\u{1B}"]
        #expect(try read([[0xFF]] + words.map { Array($0.utf8) }) == words)
    }

    @Test(
        "K12-01: bytes that are no UTF-8 are misuse, which names the argument by its number",
        arguments: [[0xFF], [0x61, 0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func foreign(bytes: [UInt8]) {
        #expect(throws: UsageError("argument 2 is not UTF-8")) {
            try read([Array("name".utf8), Array("connect".utf8), bytes])
        }
    }

    @Test("this process has arguments that can be read")
    func own() throws {
        #expect(try ProcessArguments.read() == Array(CommandLine.arguments.dropFirst()))
    }
}
