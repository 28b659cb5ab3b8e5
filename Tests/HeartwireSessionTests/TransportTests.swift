import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("Transport: what an opening settled")
struct TransportTests {
    @Test("P6: an opening tells the subprotocol that the server chose, if any")
    func openedConnection() {
        #expect(OpenedConnection().subprotocol == nil)
        #expect(OpenedConnection(subprotocol: "chat").subprotocol == "chat")
        #expect(OpenedConnection() != OpenedConnection(subprotocol: "chat"))
    }

    @Test("K05-08: a transport that says nothing of it has no cause ahead of its end")
    func pendingCause() {
        #expect(Silent().pendingCause == nil)
        #expect(Silent().unacknowledgedBytes == 0)
    }

    @Test("L3: a factory that says nothing of it has nobody who tells of paths")
    func pathMonitor() {
        #expect(NoFactory().pathMonitor == nil)
    }

    private struct NoFactory: TransportFactory {
        var executor: any SessionExecutor { fatalError("nobody asks") }
        func makeTransport(
            _ generation: Generation, request: ConnectionRequest,
            observer: any TransportObserver
        ) -> any Transport { Silent() }
    }

    private final class Silent: Transport {
        func open() {}
        func send(_ message: Message) throws(SendError) -> Bool { throw .notOpen }
        func ping(_ id: PingID) {}
        func close(_ code: CloseCode?, reason: String) {}
        func abort() {}
        func setReading(_ isReading: Bool) {}
    }
}
