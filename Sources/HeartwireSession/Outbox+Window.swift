import HeartwireProtocol

// What of the entries is in memory.
//
// With a window, the contents are held of the entries from the cursor on, without a gap, up to the first whose are not.
// Behind that one no contents are held, so that a read goes on where the last one ended. What was written is
// not held either: it is read back when its connection ends without a confirmation. What is bound to the
// session is nowhere else, so it is held until it is written, whatever the window says.
//
//     contents    told                                                 new contents
//     held        takeNext                                             absent
//     held        ended, where something goes out again before it      absent
//     absent      read, with what was stored                           held
//     absent      read, without it or with something else              – (rejected: unreadable)
extension Outbox {
    /// Whether the next message cannot be written only because its contents are being read.
    public var awaitsContents: Bool {
        guard generation != nil, cursor < slots.count, let entry = slots[cursor].entry,
            entry.state == .queued, case .absent = entry.contents
        else { return false }
        return true
    }

    /// Gives the ids from the first to the last that the store is to read now, of which it has those that are not settled;
    /// ``read(_:_:)`` or ``readFailed(_:)`` must follow. `nil` when enough is held, or a read is out.
    public mutating func takeRead() -> ClosedRange<DeliveryID>? {
        guard let window, reading == nil, let firstAbsent, window.isHalfEmpty(held) else {
            return nil
        }
        var batch = OutboxLoad()
        var (first, last) = (DeliveryID.none, DeliveryID.none)
        var isStoring = false
        for slot in slots[firstPlace(from: firstAbsent)...] {
            guard let entry = slot.entry, !entry.isSessionBound else { continue }
            // The store has not answered for this one, nor for those behind it.
            isStoring = entry.state == .storing
            let weight = OutboxBounds.weight(entry.contents.byteCount)
            guard !isStoring, window.half.takes(weight, beside: batch) else { break }
            batch.add(weight)
            if batch.count == 1 { first = slot.id }
            last = slot.id
        }
        guard batch.count > 0 else {
            if !isStoring { self.firstAbsent = nil }
            return nil
        }
        reading = first...last
        return reading
    }

    /// The store has read what was asked for.
    ///
    /// - Parameters:
    ///   - range: What was asked for; the answer to anything else changes nothing.
    ///   - entries: In the order of their ids. Others may be among them.
    /// - Returns: what ended because it is not there any more, or is not what was stored.
    public mutating func read(
        _ range: ClosedRange<DeliveryID>, _ entries: [OutboxEntry]
    ) -> [SettledDelivery] {
        guard range == reading else { return [] }
        reading = nil
        var found = entries[0...]
        var unreadable: [SettledDelivery] = []
        var place = firstPlace(from: range.lowerBound)
        while place < slots.count, slots[place].id <= range.upperBound {
            let id = slots[place].id
            while let first = found.first, first.id < id { found.removeFirst() }
            if let entry = slots[place].entry, case .absent(let byteCount) = entry.contents {
                if let first = found.first, first.id == id, first.message.byteCount == byteCount {
                    slots[place].entry?.contents = .held(first.message)
                    held.add(OutboxBounds.weight(byteCount))
                } else {
                    unreadable.append(SettledDelivery(id, .rejected(.unreadable)))
                }
            }
            place &+= 1
        }
        firstAbsent = slots[place...].first { $0.entry?.isSessionBound == false }?.id
        for delivery in unreadable {
            if let place = self.place(of: delivery.id) { remove(place) }
        }
        return unreadable
    }

    /// The store could not read what was asked for. It may be asked again.
    public mutating func readFailed(_ range: ClosedRange<DeliveryID>) {
        if range == reading { reading = nil }
    }

    /// Whether the contents of a message that is taken in are held.
    mutating func holds(_ id: DeliveryID, _ byteCount: Int) -> Bool {
        guard let window else { return true }
        let fits = window.takes(OutboxBounds.weight(byteCount), beside: held)
        if firstAbsent == nil, !fits { firstAbsent = id }
        return firstAbsent == nil
    }

    /// Lets go of the contents of an entry that has gone out, or does not go out soon.
    mutating func letGo(_ place: Int) {
        guard window != nil, let entry = slots[place].entry,
            case .held(let message) = entry.contents
        else { return }
        if !entry.isSessionBound { held.remove(OutboxBounds.weight(message.byteCount)) }
        slots[place].entry?.contents = .absent(byteCount: message.byteCount)
    }
}
