import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

@Suite("An event of a connection")
struct ClientEventTests {
    @Test("S6: an event is a value of its generation and of what happened")
    func value() {
        let event = ClientEvent(Generation(2), .text("a"))
        #expect(event == ClientEvent(Generation(2), .text("a")))
        #expect(event != ClientEvent(Generation(1), .text("a")))
        #expect(event != ClientEvent(Generation(2), .binary([0x61])))
    }

    @Test("S2, S6: an event weighs its payload and its place")
    func weight() {
        let kinds: [(ClientEvent.Kind, Int)] = [
            (.opened(OpenedConnection()), 64), (.text("é"), 66), (.binary([1]), 65),
            (.ping([1, 2, 3]), 67), (.pong(PingID(1)), 64), (.error(.heartbeatTimeout), 64),
            (.closed(.heartbeatTimeout), 64),
        ]
        for (kind, weight) in kinds {
            #expect(ClientEvent(Generation(1), kind).weight == weight)
        }
    }

    @Test("S6: a close that the app or the peer asked for is no error, every other end is one")
    func orderly() {
        let failure = ConnectionFailure(.reset)
        #expect(CloseCause.closedByApp(sent: 1000, answer: nil).isOrderly)
        #expect(CloseCause.closedByPeer(PeerClose(code: 1011)).isOrderly)
        for cause in [
            CloseCause.heartbeatTimeout, .connectTimeout(.tcp), .connectFailed(failure),
            .connectionLost(failure), .requestFailed("x"),
        ] {
            #expect(!cause.isOrderly)
        }
    }
}
