import HeartwireProtocol
import HeartwireSession

/// Follows every message from the store to the server, over all connections and all clients of a world.
final class SimulationDeliveryAudit {
    /// Where a message came to the server.
    struct Arrival: Hashable {
        /// Which client sent it.
        let life: Int
        /// On which of its connections.
        let generation: Generation
    }

    private struct Record {
        var digest: UInt64
        var isStored = false
        var isSessionBound: Bool
        var arrivals: [Arrival] = []
    }

    /// Whether a confirmation claims that the server has read the message, and the client promises that it will.
    let confirmsReading: Bool
    private(set) var stored = 0
    private(set) var arrived = 0
    private(set) var repeated = 0
    private let auditor: SimulationAuditor
    private var records: [DeliveryID: Record] = [:]
    private var lastFirst = DeliveryID.none
    private var lastOn: [Arrival: DeliveryID] = [:]
    private var sent: [Int: Int] = [:]

    init(_ auditor: SimulationAuditor, confirmsReading: Bool) {
        self.auditor = auditor
        self.confirmsReading = confirmsReading
    }

    // MARK: The client

    /// The client gives a message to the store, or, bound to a session, sends it without. What was taken in and neither
    /// promised nor sent leaves its id to another.
    func tookIn(_ id: DeliveryID, _ message: Message, isSessionBound: Bool) {
        let digest = Self.digest(message)
        if let record = records[id] {
            if record.digest == digest { return }
            if record.isStored || !record.arrivals.isEmpty {
                auditor.violated(.identity, "\(id) is given to a second message")
            }
        }
        records[id] = Record(digest: digest, isSessionBound: isSessionBound)
    }

    func hasArrived(_ id: DeliveryID) -> Bool { !(records[id]?.arrivals.isEmpty ?? true) }

    /// The app was told that the message is stored; one that is bound to a session is promised to nobody.
    func promised(_ id: DeliveryID, _ message: Message, isSessionBound: Bool) {
        // No store was given what is bound to a session, so this may be the first that is heard of it.
        if isSessionBound { tookIn(id, message, isSessionBound: true) }
        let digest = Self.digest(message)
        var record = records[id] ?? Record(digest: digest, isSessionBound: isSessionBound)
        if record.digest != digest {
            auditor.violated(.identity, "\(id) is promised for other bytes than were taken in")
        }
        if !isSessionBound {
            stored += 1
            record.isStored = true
            record.isSessionBound = false
        }
        records[id] = record
    }

    /// The client takes the message for settled.
    func settled(_ id: DeliveryID) {
        guard confirmsReading, let record = records[id], record.isStored, record.arrivals.isEmpty
        else { return }
        auditor.violated(.earlyConfirmation, "\(id) is confirmed and the server has not read it")
    }

    /// The app sends something without a guarantee.
    func sentOnce(_ serial: Int) {
        sent[serial] = 0
    }

    // MARK: The server

    func arrived(_ id: DeliveryID, _ message: Message, isMarked: Bool, _ arrival: Arrival) {
        arrived += 1
        guard var record = records[id], record.digest == Self.digest(message) else {
            return auditor.violated(.identity, "\(id) came with other bytes than were taken in")
        }
        if let last = lastOn[arrival], id <= last {
            auditor.violated(.order, "\(id) came behind \(last) on \(arrival.generation)")
        }
        lastOn[arrival] = id
        if record.isSessionBound {
            if let first = record.arrivals.first, first != arrival {
                auditor.violated(.sessionBound, "\(id) came on another connection")
            }
        } else if let first = record.arrivals.first {
            repeated += 1
            let isLater = (first.life, first.generation) < (arrival.life, arrival.generation)
            if isLater, !isMarked {
                auditor.violated(.identity, "\(id) came again and is not marked")
            }
        } else if confirmsReading {
            if id <= lastFirst {
                auditor.violated(.order, "\(id) came for the first time behind \(lastFirst)")
            }
            lastFirst = max(lastFirst, id)
        }
        record.arrivals.append(arrival)
        records[id] = record
    }

    func arrivedOnce(_ serial: Int) {
        guard let count = sent[serial] else {
            return auditor.violated(.atMostOnce, "message \(serial) was never sent")
        }
        sent[serial] = count + 1
        if count > 0 { auditor.violated(.atMostOnce, "message \(serial) came \(count + 1) times") }
    }

    // MARK: The end

    /// Everything has had its time.
    func finish() {
        guard confirmsReading else { return }
        for (id, record) in records.sorted(by: { $0.key < $1.key })
        where record.isStored && record.arrivals.isEmpty {
            auditor.violated(.nothingLost, "\(id) was reported stored and never came")
        }
    }

    private static func digest(_ message: Message) -> UInt64 {
        var digest = SimulationDigest()
        switch message {
        case .text(let text):
            digest.add(1)
            digest.add(text.utf8)
        case .binary(let bytes):
            digest.add(2)
            digest.add(bytes)
        }
        return digest.value
    }
}
