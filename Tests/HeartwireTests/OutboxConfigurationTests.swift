import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

@Suite struct OutboxConfigurationTests {
    @Test(
        "D3: the default confirms by a fence, within the default bounds, and sends what was stored")
    func defaults() {
        let configuration = OutboxConfiguration.memory
        #expect(configuration.bounds == OutboxBounds())
        #expect(configuration.confirmation.kind == .fence)
        #expect(configuration.confirmation.reader == nil)
        #expect(configuration.envelope == nil)
    }

    @Test("D3: each confirmation has its kind, and only the app's own has a reader")
    func kinds() {
        #expect(OutboxConfiguration.Confirmation.written.kind == .written)
        #expect(OutboxConfiguration.Confirmation.written.reader == nil)
        let own = OutboxConfiguration.Confirmation.acknowledgement { _ in [DeliveryID(7)] }
        #expect(own.kind == .acknowledgement)
        #expect(own.reader?(.text("x")) == [DeliveryID(7)])
    }

    @Test("D4: a client has a store of its own, unless it is given one")
    func stores() {
        let memory = OutboxConfiguration.memory
        #expect(memory.makeStore() is MemoryOutboxStore)
        #expect(memory.makeStore() !== memory.makeStore())
        #expect(OutboxConfiguration.sqlite(at: "x").makeStore() is SQLiteOutboxStore)
        let store = MemoryOutboxStore()
        #expect(OutboxConfiguration(store: store).makeStore() === store)
    }

    @Test("K04-07: each outcome is counted in its place")
    func status() {
        var status = OutboxStatus()
        status.count(.confirmed)
        status.count(.expired)
        status.count(.rejected(.droppedByOverflow))
        status.count(.rejected(.sessionEnded))
        status.count(.rejected(.unsendable(.closed)))
        status.count(.rejected(.unreadable))
        #expect(status.confirmed == 1)
        #expect(status.expired == 1)
        #expect(status.droppedByOverflow == 1)
        #expect(status.rejected == 3)
        #expect(status.waiting == 0)
    }
}
