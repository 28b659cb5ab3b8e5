import HeartwireProtocol

/// What a client was told to have come, and whether the app gets that: in order and nothing else. Messages that nobody
/// read in time may be missing, for a client that closes lets them go.
final class SimulationInbox {
    private let auditor: SimulationAuditor
    private var told: [Int] = []
    private var head = 0
    /// How many messages the app has taken.
    private(set) var taken = 0

    init(_ auditor: SimulationAuditor) {
        self.auditor = auditor
    }

    /// The current connection has brought a message.
    func told(_ message: Message) {
        if case .pushed(let serial) = SimulationPayload(message) { told.append(serial) }
    }

    /// The app has taken a message.
    func took(_ message: Message) {
        guard case .pushed(let serial) = SimulationPayload(message) else { return }
        taken += 1
        guard let place = told[head...].firstIndex(of: serial) else {
            return auditor.violated(.received, "the app got message \(serial) out of turn")
        }
        head = place + 1
        if head > 1_024 {
            told.removeFirst(head)
            head = 0
        }
    }
}
