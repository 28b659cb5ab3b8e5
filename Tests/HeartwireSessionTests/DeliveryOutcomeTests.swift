import HeartwireProtocol
import HeartwireSession
import Testing

@Suite struct DeliveryOutcomeTests {
    @Test("D2: each outcome has its words")
    func words() {
        #expect("\(DeliveryOutcome.confirmed)" == "confirmed")
        #expect("\(DeliveryOutcome.expired)" == "expired")
        #expect("\(DeliveryOutcome.rejected(.sessionEnded))" == "session ended")
    }

    @Test("K04-07, K04-08: what is given up says why")
    func rejections() {
        #expect("\(DeliveryOutcome.Rejection.droppedByOverflow)" == "dropped: overflow")
        #expect("\(DeliveryOutcome.Rejection.sessionEnded)" == "session ended")
        #expect(
            "\(DeliveryOutcome.Rejection.unsendable(.closed))"
                == "cannot be sent: the connection is closed")
        #expect("\(DeliveryOutcome.Rejection.unreadable)" == "cannot be read back")
    }

    @Test("D2: outcomes can be told apart")
    func differ() {
        let all: [DeliveryOutcome] = [
            .confirmed, .expired, .rejected(.droppedByOverflow), .rejected(.sessionEnded),
            .rejected(.unsendable(.closed)), .rejected(.unsendable(.closing)),
            .rejected(.unreadable),
        ]
        #expect(Set(all).count == all.count)
    }
}
