import Testing

@testable import HeartwireProtocol

@Suite("5.2: opcodes")
struct OpcodeTests {
    @Test("5.2: six opcodes are known, the other ten are reserved")
    func known() {
        let known = (UInt8(0)..<16).compactMap(Opcode.init(rawValue:))
        #expect(known == [.continuation, .text, .binary, .close, .ping, .pong])
        #expect(known.map(\.name) == ["continuation", "text", "binary", "close", "ping", "pong"])
    }

    @Test("5.5: those with the top bit are control frames")
    func control() {
        #expect([Opcode.close, .ping, .pong].map(\.isControl) == [true, true, true])
        #expect([Opcode.continuation, .text, .binary].map(\.isControl) == [false, false, false])
    }
}
