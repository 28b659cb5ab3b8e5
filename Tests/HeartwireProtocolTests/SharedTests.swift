import Testing

@testable import HeartwireProtocol

@Suite("A value that is stored once")
struct SharedTests {
    @Test("A copy shares, and a change leaves what others hold as it is")
    func copies() {
        let one = Shared("one")
        var other = one
        #expect(one.box === other.box)
        other.value = "two"
        #expect(one.value == "one")
        #expect(other.value == "two")
    }

    @Test("What is usual is stored once, and only what differs has a place of its own")
    func usual() {
        let usual = Shared(7)
        #expect(Shared(7, unless: usual).box === usual.box)
        let unusual = Shared(8, unless: usual)
        #expect(unusual.value == 8)
        #expect(unusual.box !== usual.box)
    }

    @Test("It is equal to what holds the same value, wherever that is stored")
    func equality() {
        let one = Shared([1, 2])
        #expect(one == one)
        #expect(one == Shared([1, 2]))
        #expect(one != Shared([1]))
        #expect(Set([one, Shared([1, 2]), Shared([1])]).count == 2)
    }

    @Test("P4: the default limits are stored once for all connections, others once for each")
    func limits() {
        #expect(Limits().shared.box === Limits().shared.box)
        var limits = Limits()
        limits.pendingPongs = 1
        #expect(limits.shared.value == limits)
        #expect(limits.shared.box !== Limits().shared.box)
    }
}
