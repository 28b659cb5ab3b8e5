import HeartwireProtocol
import Testing

@Suite("5.6: messages")
struct MessageTests {
    @Test("The size is that of the payload on the wire")
    func byteCount() {
        #expect(Message.text("").byteCount == 0)
        #expect(Message.text("€🫀").byteCount == 7)
        #expect(Message.binary([1, 2, 3]).byteCount == 3)
    }

    @Test("Text and binary with the same bytes are different messages")
    func kinds() {
        #expect(Message.text("A") != .binary([0x41]))
        #expect(Message.text("A") == .text("A"))
    }
}
