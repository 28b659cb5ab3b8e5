import HeartwireProtocol
import HeartwireSession

// What guaranteed delivery needs of the core.
extension ClientCore {
    /// The transport on which the entries of this connection may go out now: what is decided for one connection
    /// is not done on another (G2, D5).
    func openTransport(_ generation: Generation?) -> (any Transport)? {
        guard machine.admitsSend, generation == transportGeneration else { return nil }
        return transport
    }

    /// Has a ping sent behind what was written, once no other is out.
    func askForFence() {
        guard let delivery, delivery.wantsFence, machine.admitsFence else { return }
        handle(.fenceRequested)
    }

    /// Whether what the app sends must wait until what is stored has gone out.
    var isBacklogged: Bool {
        // Most clients deliver nothing, and pay for no call.
        @inline(__always) get { delivery != nil && isDeliveryBacklogged }
    }

    private var isDeliveryBacklogged: Bool {
        @inline(never) get { delivery?.isBacklogged ?? false }
    }

    /// What is stored and had to be read first has gone out, so others may send, unless there is no room for them.
    func backlogWentOut() {
        guard machine.admitsSend, let delivery, !delivery.isBlocked, !delivery.isBacklogged else {
            return
        }
        resumeOutgoing()
        resumeWriters(.free)
    }
}
