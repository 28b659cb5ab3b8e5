import HeartwireSession
import Testing

@Suite("Generation: the identity of a connection")
struct GenerationTests {
    @Test("G1: generations are strictly increasing, beginning behind none")
    func order() {
        #expect(Generation.none == Generation(0))
        #expect(Generation.none.next == Generation(1))
        #expect(Generation(1).next > Generation(1))
        #expect(!(Generation(1) < Generation(1)))
        #expect(Generation(9) < Generation(10))
        #expect(Generation(7).number == 7)
    }

    @Test("P5: even the last generation has a next one")
    func lastGeneration() {
        #expect(Generation(.max).next == .none)
    }

    @Test("G1: generations read g1, g2, …")
    func description() {
        #expect("\(Generation(12))" == "g12")
    }

    @Test("H9: ping ids are ordered by their numbers and read ping1, ping2, …")
    func pingIDs() {
        #expect(PingID(1) < PingID(2))
        #expect(!(PingID(2) < PingID(2)))
        #expect(PingID(3).number == 3)
        #expect("\(PingID(4))" == "ping4")
    }
}
