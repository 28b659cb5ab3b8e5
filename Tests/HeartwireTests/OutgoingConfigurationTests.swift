import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

@Suite("How a queue lets messages out")
struct OutgoingConfigurationTests {
    @Test("S3: a queue holds a thousand messages of 4 MiB, and gives nothing back, unless told to")
    func defaults() {
        let configuration = OutgoingConfiguration(.deliver)
        #expect(configuration.route == .deliver)
        #expect(configuration.bounds == BufferBounds())
        #expect(configuration.unsent == nil)
        #expect(OutgoingConfiguration.Route.allCases == [.send, .deliver, .sendOrDeliver])
        #expect(OutgoingStatus().waiting == 0)
    }

    @Test("S3, S5: each error says why")
    func words() {
        let errors: [(QueueError, String)] = [
            (.full, "the queue is full"),
            (
                .tooLarge(bytes: 70, limit: 60),
                "the message weighs 70 bytes, the queue holds at most 60"
            ),
            (.closed, "the client is shut down"),
            (.refused(.notText), "a binary message cannot stand in a JSON array"),
        ]
        for (error, words) in errors { #expect("\(error)" == words) }
        let causes: [(UnsentMessages.Cause, String)] = [
            (.send(.notOpen), "no connection is open"),
            (.delivery(.noOutbox), "the client has no outbox"),
            (.batch(.notText), "a binary message cannot stand in a JSON array"),
        ]
        for (cause, words) in causes { #expect("\(cause)" == words) }
    }
}
