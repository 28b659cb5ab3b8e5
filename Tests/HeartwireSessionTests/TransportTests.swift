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
}
