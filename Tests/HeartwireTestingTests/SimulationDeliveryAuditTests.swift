import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireTesting

private struct Book {
    let auditor = SimulationAuditor(VirtualExecutor(), trace: nil)
    let audit: SimulationDeliveryAudit

    init(confirmsReading: Bool = true) {
        audit = SimulationDeliveryAudit(auditor, confirmsReading: confirmsReading)
    }

    var rules: [SimulationViolation.Rule] { auditor.violations.map(\.rule) }

    func promise(_ id: UInt64, _ text: String = "m", isSessionBound: Bool = false) {
        let message = Message.text(text)
        audit.tookIn(DeliveryID(id), message, isSessionBound: isSessionBound)
        audit.promised(DeliveryID(id), message, isSessionBound: isSessionBound)
    }

    func arrive(
        _ id: UInt64, _ text: String = "m", isMarked: Bool = false, life: Int = 1,
        on generation: UInt64 = 1
    ) {
        audit.arrived(
            DeliveryID(id), .text(text), isMarked: isMarked,
            SimulationDeliveryAudit.Arrival(life: life, generation: Generation(generation)))
    }

    func settle(_ id: UInt64) { audit.settled(DeliveryID(id)) }
}

@Suite("SimulationDeliveryAudit")
struct SimulationDeliveryAuditTests {
    @Test("D2: messages that arrive in order, are confirmed and come again marked break no rule")
    func lawful() {
        let book = Book()
        for id in UInt64(1)...3 { book.promise(id) }
        book.arrive(1)
        book.settle(1)
        book.arrive(2)
        book.arrive(2, isMarked: true, on: 2)
        book.arrive(3, isMarked: true, on: 2)
        book.audit.finish()
        #expect(book.rules == [])
        #expect(book.audit.stored == 3 && book.audit.arrived == 4 && book.audit.repeated == 1)
        #expect(book.audit.hasArrived(DeliveryID(2)) && !book.audit.hasArrived(DeliveryID(9)))
    }

    @Test("D4: what was promised and never arrived is seen at the end, not what was never promised")
    func lost() {
        let book = Book()
        book.promise(1)
        book.audit.tookIn(DeliveryID(2), .text("m"), isSessionBound: false)
        book.audit.finish()
        #expect(book.rules == [.nothingLost])
    }

    @Test("D3: what is confirmed before the server has read it is seen")
    func early() {
        let book = Book()
        book.promise(1)
        book.settle(1)
        #expect(book.rules == [.earlyConfirmation])
        book.settle(7)
        #expect(book.rules.count == 1)
    }

    @Test(
        "D3: where a message is confirmed when it was written, that proves nothing and nothing is asked"
    )
    func written() {
        let book = Book(confirmsReading: false)
        book.promise(1)
        book.promise(2)
        book.settle(1)
        book.arrive(2)
        book.arrive(1, on: 2)
        book.audit.finish()
        #expect(book.rules == [])
    }

    @Test("D2, D5: a first arrival out of order is seen, over all connections and on each")
    func order() {
        let book = Book()
        for id in UInt64(1)...3 { book.promise(id) }
        book.arrive(2)
        book.arrive(1, isMarked: true, on: 2)
        #expect(book.rules == [.order])
        book.arrive(2, isMarked: true, on: 2)
        book.arrive(1, isMarked: true, on: 2)
        #expect(book.rules == [.order, .order])
    }

    @Test("D5: an id that comes with other bytes, or for two messages, is seen")
    func identity() {
        let book = Book()
        book.promise(1)
        book.arrive(1, "other")
        #expect(book.rules == [.identity])
        book.promise(1, "second")
        #expect(book.rules == [.identity, .identity])
        book.arrive(5)
        #expect(book.rules == [.identity, .identity, .identity])
    }

    @Test("D5: a promise for other bytes than were taken in is seen")
    func promised() {
        let book = Book()
        book.audit.tookIn(DeliveryID(1), .text("a"), isSessionBound: false)
        book.audit.promised(DeliveryID(1), .binary([0x61]), isSessionBound: false)
        #expect(book.rules == [.identity])
    }

    @Test("D5: an id that was taken in and neither promised nor sent may be used again")
    func unused() {
        let book = Book()
        book.audit.tookIn(DeliveryID(1), .text("a"), isSessionBound: false)
        book.promise(1, "b")
        book.arrive(1, "b")
        #expect(book.rules == [])
    }

    @Test(
        "D5: a repetition on a later connection is marked; an older line that comes back late need not be"
    )
    func marks() {
        let book = Book()
        book.promise(1)
        book.arrive(1, on: 3)
        book.arrive(1, on: 2)
        #expect(book.rules == [])
        book.arrive(1, on: 4)
        #expect(book.rules == [.identity])
        book.arrive(1, life: 2, on: 1)
        #expect(book.rules == [.identity, .identity])
    }

    @Test("D5: what is bound to a session may get the id of what was taken in and not kept")
    func boundAfterFailure() {
        let book = Book()
        book.audit.tookIn(DeliveryID(1), .text("not kept"), isSessionBound: false)
        book.audit.promised(DeliveryID(1), .text("bound"), isSessionBound: true)
        book.arrive(1, "bound")
        #expect(book.rules == [])
        book.promise(2, "kept")
        book.audit.promised(DeliveryID(2), .text("bound"), isSessionBound: true)
        #expect(book.rules == [.identity])
    }

    @Test("K04-08: what is bound to a session comes on one connection or not at all")
    func bound() {
        let book = Book()
        book.promise(1, isSessionBound: true)
        book.promise(2, isSessionBound: true)
        book.arrive(2)
        book.arrive(2, life: 1, on: 2)
        #expect(book.rules == [.sessionBound])
        book.audit.finish()
        #expect(book.rules == [.sessionBound])
        book.audit.tookIn(DeliveryID(2), .text("m"), isSessionBound: true)
        #expect(book.rules == [.sessionBound])
    }

    @Test("D1: what was sent without a guarantee comes once at the most, and only what was sent")
    func atMostOnce() {
        let book = Book()
        book.audit.sentOnce(1)
        book.audit.sentOnce(2)
        book.audit.arrivedOnce(1)
        #expect(book.rules == [])
        book.audit.arrivedOnce(1)
        book.audit.arrivedOnce(3)
        #expect(book.rules == [.atMostOnce, .atMostOnce])
    }
}

@Suite("SimulationInbox")
struct SimulationInboxTests {
    private func push(_ serial: Int) -> Message {
        SimulationPayload.pushed(serial: serial).message()
    }

    @Test("S1: the app gets what came, in order; some may be missing")
    func lawful() {
        let auditor = SimulationAuditor(VirtualExecutor(), trace: nil)
        let inbox = SimulationInbox(auditor)
        for serial in 1...3_000 { inbox.told(push(serial)) }
        for serial in stride(from: 1, through: 3_000, by: 2) { inbox.took(push(serial)) }
        #expect(auditor.violations == [] && inbox.taken == 1_500)
    }

    @Test("S1: what comes twice, out of order or from nowhere is seen")
    func wrong() {
        let auditor = SimulationAuditor(VirtualExecutor(), trace: nil)
        let inbox = SimulationInbox(auditor)
        for serial in 1...3 { inbox.told(push(serial)) }
        inbox.told(SimulationPayload.acknowledged(DeliveryID(1)).message())
        inbox.took(SimulationPayload.acknowledged(DeliveryID(1)).message())
        inbox.took(push(2))
        #expect(auditor.violations == [])
        for serial in [2, 1, 9] { inbox.took(push(serial)) }
        #expect(auditor.violations.map(\.rule) == [.received, .received, .received])
    }
}

@Suite("SimulationPayload")
struct SimulationPayloadTests {
    @Test(
        "what is said can be read again",
        arguments: [
            SimulationPayload.delivered(DeliveryID(7), isMarked: true, .text("a|b|ü")),
            .delivered(DeliveryID(1), isMarked: false, .binary([0x7C, 0, 0xFF])),
            .delivered(DeliveryID(1), isMarked: false, .text("")),
            .sent(serial: 3), .acknowledged(DeliveryID(9)), .pushed(serial: 0),
        ])
    func roundTrip(payload: SimulationPayload) {
        #expect(SimulationPayload(payload.message()) == payload)
    }

    @Test("the filling makes a message longer and means nothing")
    func filler() {
        let payload = SimulationPayload.pushed(serial: 12)
        #expect(payload.message(fill: 100).byteCount == payload.message().byteCount + 100)
        #expect(SimulationPayload(payload.message(fill: 100)) == payload)
        #expect(SimulationPayload.filler(3).utf8.count == 3)
    }

    @Test(
        "what nobody says is nothing",
        arguments: ["", "x", "d|1|0", "d|x|0|m", "s|1", "q|1|", "a|-1|", "||", "s|1|a|b"])
    func nothing(text: String) {
        #expect(SimulationPayload(.text(text)) == nil)
    }
}
