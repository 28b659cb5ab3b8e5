import HeartwireProtocol
import Testing

@Suite("P4: limits")
struct LimitsTests {
    @Test("P4: the defaults are those that are documented")
    func defaults() {
        let limits = Limits()
        #expect(limits.headBytes == 16_384)
        #expect(limits.headLines == 128)
        #expect(limits.refusalBodyBytes == 4_096)
        #expect(limits.messageBytes == 16_777_216)
        #expect(limits.fragments == 131_072)
        #expect(limits.pendingPongs == 32)
        #expect(limits.eagerReservationBytes == 1_048_576)
        #expect(limits.outgoingHighWater == 1_048_576)
        #expect(limits.outgoingLowWater == 262_144)
    }
}
