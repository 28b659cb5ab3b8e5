import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite struct ReceiptTests {
    private let box = ReceiptBox(DeliveryID(4))
    private var receipt: Receipt { Receipt(box: box) }
    private let g1 = Generation(1)

    @Test(
        "D2: a receipt begins stored and follows the delivery; coming back from a connection it is stored again"
    )
    func states() {
        #expect(receipt.id == DeliveryID(4))
        #expect(receipt.state == .stored)
        box.wrote(g1)
        #expect(receipt.state == .written(g1))
        box.returned()
        #expect(receipt.state == .stored)
        box.settle(.confirmed)
        #expect(receipt.state == .confirmed)
        box.returned()
        #expect(receipt.state == .confirmed)
    }

    @Test("D2: only confirmed, expired and rejected are last")
    func last() {
        #expect(!Receipt.State.stored.isLast)
        #expect(!Receipt.State.written(g1).isLast)
        #expect(Receipt.State.confirmed.isLast)
        #expect(Receipt.State.expired.isLast)
        #expect(Receipt.State.rejected(.sessionEnded).isLast)
    }

    @Test("D2: each state can be awaited")
    func waits() async throws {
        let receipt = receipt
        let written = Task { try await receipt.written() }
        let confirmed = Task { try await receipt.confirmed() }
        box.wrote(g1)
        try await written.value
        box.returned()
        try await receipt.written()
        box.settle(.confirmed)
        try await confirmed.value
    }

    @Test("D2: what is confirmed was written, and a wait that comes late returns at once")
    func late() async throws {
        box.settle(.confirmed)
        try await receipt.written()
        try await receipt.confirmed()
    }

    @Test(
        "D2: a delivery that is given up throws its reason",
        arguments: [
            (DeliveryOutcome.expired, DeliveryError.expired),
            (.rejected(.droppedByOverflow), .rejected(.droppedByOverflow)),
        ])
    func givenUp(outcome: DeliveryOutcome, error: DeliveryError) async {
        let receipt = receipt
        let waiting = Task { try await receipt.confirmed() }
        box.settle(outcome)
        await #expect(throws: error) { try await waiting.value }
        await #expect(throws: error) { try await receipt.written() }
        #expect(receipt.state.isLast)
    }

    @Test("D2: what was written and then expired was written")
    func writtenThenExpired() async throws {
        box.wrote(g1)
        box.settle(.expired)
        try await receipt.written()
        await #expect(throws: DeliveryError.expired) { try await receipt.confirmed() }
    }

    @Test("D2: a wait ends with its task and with the client")
    func ends() async {
        let receipt = receipt
        let cancelled = Task { try await receipt.confirmed() }
        cancelled.cancel()
        await #expect(throws: DeliveryError.cancelled) { try await cancelled.value }
        let waiting = Task { try await receipt.confirmed() }
        box.abandon()
        await #expect(throws: DeliveryError.shutDown) { try await waiting.value }
        #expect(receipt.state == .stored)
    }

    @Test("D2: the sequence gives the present state first and ends behind the last one")
    func sequence() async {
        var iterator = receipt.states.makeAsyncIterator()
        #expect(await iterator.next() == .stored)
        box.wrote(g1)
        #expect(await iterator.next() == .written(g1))
        box.returned()
        box.settle(.confirmed)
        #expect(await iterator.next() == .confirmed, "a slow consumer sees the newest")
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
    }

    @Test("D2: the sequence ends when the client is gone or the task was cancelled")
    func sequenceEnds() async {
        let states = receipt.states
        let all = Task { await states.reduce(into: []) { $0.append($1) } }
        box.abandon()
        #expect(await all.value == [.stored])
        let other = ReceiptBox(DeliveryID(5))
        let waiting = Task {
            var iterator = ReceiptStates(box: other).makeAsyncIterator()
            _ = await iterator.next()
            return await iterator.next()
        }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }
}
