import Testing

@testable import HeartwireProtocol

@Suite("P4: limits")
struct LimitsTests {
    @Test("P4: the defaults are those that are documented")
    func defaults() {
        let limits = Limits()
        #expect(limits.headBytes == 16_384)
        #expect(limits.headLines == 128)
        #expect(limits.refusalBodyBytes == 4_096)
        #expect(limits.messageBytes == 16_777_216)
        #expect(limits.inflateRatio == 1_032)
        #expect(limits.inflateRatioGraceBytes == 65_536)
        #expect(limits.fragments == 131_072)
        #expect(limits.pendingPongs == 32)
        #expect(limits.frameStall == .seconds(30))
        #expect(limits.eagerReservationBytes == 1_048_576)
        #expect(limits.outgoingHighWater == 1_048_576)
        #expect(limits.outgoingLowWater == 262_144)
    }

    @Test("P4: whoever keeps the default limits shares them, and others have their own")
    func shared() {
        var own = Limits()
        own.messageBytes = 1
        #expect(Limits().shared.box === Limits().shared.box)
        #expect(own.shared.box !== Limits().shared.box)
        #expect(own.shared.value == own && Limits().shared.value == Limits())
    }

    @Test("P4: a compressed message may be a little longer than a plain one, never without bound")
    func compressedBytes() {
        var limits = Limits()
        for (bytes, compressed) in [
            (0, 256), (1_000, 1_381), (16 << 20, (18 << 20) + 256), (-1, -1), (Int.min, Int.min),
            (Int.max, Int.max), (Int.max - 300, Int.max),
        ] {
            limits.messageBytes = bytes
            #expect(limits.compressedBytes == compressed)
        }
    }
}
