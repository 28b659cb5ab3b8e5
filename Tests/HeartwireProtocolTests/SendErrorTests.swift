import HeartwireProtocol
import Testing

@Suite("Faults of the caller")
struct SendErrorTests {
    @Test("Each says in one line what was wrong")
    func descriptions() {
        let all: [(SendError, String)] = [
            (.notOpen, "no connection is open"),
            (.closing, "the connection is closing"),
            (.closed, "the connection is closed"),
            (.connectionEnded, "the connection ended before the message went out"),
            (.cancelled, "the task was cancelled before the message went out"),
            (.reservedCloseCode(1006), "the close code 1006 (no Close frame) may not be sent"),
            (.reasonWithoutCode, "a close reason needs a close code"),
            (.reasonTooLong(124), "the close reason has 124 bytes of at most 123"),
            (.controlPayloadTooLong(126), "the ping or pong payload has 126 bytes of at most 125"),
        ]
        for (error, words) in all { #expect(error.description == words) }
        #expect(Set(all.map(\.0)).count == all.count)
    }
}
