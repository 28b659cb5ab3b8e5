import HeartwireProtocol

@testable import HeartwireSession

extension DeliveryID: ExpressibleByIntegerLiteral {
    init(integerLiteral value: UInt64) {
        self.init(value)
    }
}

extension Outbox {
    /// Takes texts in and has them stored, as a store in memory does. Answers their ids.
    @discardableResult
    mutating func fill(_ texts: String..., at now: MonotonicInstant = at(0)) throws -> [DeliveryID]
    {
        try texts.map { text in
            let id = try add(.text(text), at: now).id
            stored(id)
            return id
        }
    }

    /// Writes all that can be written. Answers the texts.
    mutating func writeAll() -> [String] {
        var texts: [String] = []
        while let entry = takeNext() {
            if case .text(let text) = entry.message { texts.append(text) }
        }
        return texts
    }

    /// What must hold after every event, whatever it was.
    var faults: [String] {
        var faults: [String] = []
        let live = slots[head...].filter { $0.entry != nil }
        if live.count != count { faults.append("count") }
        if slots[..<head].contains(where: { $0.entry != nil }) {
            faults.append("entry before head")
        }
        if head < slots.count, slots[head].entry == nil { faults.append("no entry at head") }
        if cursor < slots.count, slots[cursor].entry == nil { faults.append("no entry at cursor") }
        let weight = live.reduce(0) {
            $0 + OutboxBounds.weight($1.entry?.contents.byteCount ?? 0)
        }
        if weight != bytes { faults.append("bytes") }
        if live.filter({ $0.entry?.isSessionBound == true }).count != sessionBound {
            faults.append("session-bound")
        }
        faults += windowFaults
        if zip(slots, slots.dropFirst()).contains(where: { $0.id >= $1.id }) {
            faults.append("order")
        }
        for (place, slot) in slots.enumerated() {
            guard let state = slot.entry?.state else { continue }
            if state == .written {
                if place >= cursor || generation == nil { faults.append("\(slot.id) out") }
            } else if place < cursor {
                faults.append("\(slot.id) passed")
            }
        }
        if slots.count > 2 * count + Self.sparePlaces { faults.append("spare places") }
        return faults
    }

    /// What must hold of the contents that are in memory.
    private var windowFaults: [String] {
        var faults: [String] = []
        var load = OutboxLoad()
        for (place, slot) in slots.enumerated() {
            guard let entry = slot.entry else { continue }
            let isAhead = place >= cursor && !entry.isSessionBound
            switch entry.contents {
            case .held(let message):
                if !entry.isSessionBound { load.add(OutboxBounds.weight(message.byteCount)) }
                if window != nil, place < cursor { faults.append("\(slot.id) kept") }
                if isAhead, let firstAbsent, slot.id >= firstAbsent {
                    faults.append("\(slot.id) held behind what is not")
                }
            case .absent:
                if window == nil || place >= cursor && entry.isSessionBound {
                    faults.append("\(slot.id) lost")
                }
                if isAhead, slot.id < firstAbsent ?? .init(.max) {
                    faults.append("\(slot.id) is never read")
                }
            }
        }
        if load != held { faults.append("held") }
        return faults
    }
}
