import Heartwire
import HeartwireSession
import Testing

@Suite struct DeliveryErrorTests {
    @Test(
        "D2: each error says what happened",
        arguments: [
            (DeliveryError.noOutbox, "the client has no outbox"),
            (.refused(.full), "the outbox is full"),
            (.store(OutboxStoreError(.full)), "there is no space left for the outbox"),
            (.shutDown, "the client is shut down"),
            (.cancelled, "the task was cancelled"),
            (.expired, "expired"),
            (.rejected(.droppedByOverflow), "dropped: overflow"),
        ])
    func words(error: DeliveryError, words: String) {
        #expect("\(error)" == words)
    }
}
