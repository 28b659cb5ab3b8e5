public import HeartwireProtocol

// What goes out, what comes back, and how entries leave.
extension Outbox {
    /// A connection is open: everything that is queued goes out on it, the oldest first (K04-01).
    ///
    /// - Returns: what ended because an older connection was not told to have ended.
    public mutating func opened(_ opened: Generation) -> [SettledDelivery] {
        let settled = generation.map { ended($0) } ?? []
        generation = opened
        return settled
    }

    /// Whether an entry can be written now.
    public var canWrite: Bool {
        guard generation != nil, cursor < slots.count else { return false }
        return slots[cursor].entry?.state == .queued && !awaitsContents
    }

    /// Gives the entry that must be handed to the transport now; it counts as written from here on. `nil`
    /// when there is none: no connection is open, all were written, or the next one is still being stored or read.
    public mutating func takeNext() -> OutboxEntry? {
        guard generation != nil, cursor < slots.count, let entry = slots[cursor].entry,
            entry.state == .queued, case .held(let message) = entry.contents
        else { return nil }
        slots[cursor].entry?.state = .written
        letGo(cursor)
        lastWritten = slots[cursor].id
        cursor &+= 1
        passEmptyPlaces()
        return OutboxEntry(
            id: lastWritten, message: message, isPossibleDuplicate: entry.isPossibleDuplicate)
    }

    /// The transport has taken what ``takeNext()`` gave. Settles it where that is all that was promised.
    public mutating func handedOver(_ id: DeliveryID) -> [SettledDelivery] {
        guard confirmation == .written, let place = place(of: id), isWritten(place) else {
            return []
        }
        remove(place)
        return [SettledDelivery(id, .confirmed)]
    }

    /// The transport will never take what ``takeNext()`` gave.
    public mutating func refuse(_ id: DeliveryID, _ error: SendError) -> [SettledDelivery] {
        guard let place = place(of: id), isWritten(place) else { return [] }
        remove(place)
        return [SettledDelivery(id, .rejected(.unsendable(error)))]
    }

    /// The connection is over. What was written on it and not confirmed goes out again on the next one, ahead of
    /// all that is newer (K04-02); what was bound to it is given up (K04-08).
    public mutating func ended(_ ended: Generation) -> [SettledDelivery] {
        guard ended == generation else { return [] }
        generation = nil
        fence = nil
        lastWritten = .none
        var settled: [SettledDelivery] = []
        let isReadAgain = window != nil && head < cursor
        for place in head..<endOfReach {
            guard let entry = slots[place].entry else { continue }
            if entry.isSessionBound {
                settled.append(SettledDelivery(slots[place].id, .rejected(.sessionEnded)))
                continue
            }
            if entry.state == .written {
                slots[place].entry?.state = .queued
                slots[place].entry?.isPossibleDuplicate = true
            }
            if isReadAgain { letGo(place) }
        }
        if isReadAgain {
            firstAbsent = slots[head].id
            reading = nil
        }
        cursor = head
        for delivery in settled { if let place = place(of: delivery.id) { remove(place) } }
        return settled
    }

    /// Behind the last entry that the end of the connection changes.
    private var endOfReach: Int {
        if sessionBound > 0 { return slots.count }
        guard window != nil, head < cursor else { return cursor }
        return firstAbsent.map(firstPlace(from:)) ?? slots.count
    }
}

// Confirmations.
extension Outbox {
    /// Whether a ping must go out for what was written to be confirmed: none has gone out since.
    public var wantsFence: Bool {
        guard confirmation == .fence, generation != nil, head < cursor else { return false }
        return (fence?.covers ?? .none) < lastWritten
    }

    /// Whether that ping should go out before more is written: what was written first went out in vain before, and if
    /// this connection lives no longer than that one, a ping behind all that waits would never be answered.
    public var wantsFenceFirst: Bool {
        wantsFence && fence == nil && slots[head].entry?.isPossibleDuplicate == true
    }

    /// A ping goes out behind all that was written. One that is out already no longer counts: the
    /// session awaits the pong of the newest only.
    public mutating func pingSent(_ id: PingID) {
        guard confirmation == .fence, generation != nil else { return }
        fence = (id, lastWritten)
    }

    /// The pong for this ping arrived: everything before the ping was read by the peer.
    public mutating func pongReceived(_ id: PingID) -> [SettledDelivery] {
        guard let fence, fence.ping == id else { return [] }
        var settled: [SettledDelivery] = []
        for place in head..<cursor {
            guard slots[place].id <= fence.covers else { break }
            guard isWritten(place) else { continue }
            settled.append(SettledDelivery(slots[place].id, .confirmed))
        }
        for delivery in settled { if let place = place(of: delivery.id) { remove(place) } }
        return settled
    }

    /// The app says that this message arrived. That can only be true of one that went out, on whichever connection.
    public mutating func acknowledged(_ id: DeliveryID) -> [SettledDelivery] {
        guard confirmation == .acknowledgement, let place = place(of: id),
            isWritten(place) || slots[place].entry?.isPossibleDuplicate == true
        else { return [] }
        remove(place)
        return [SettledDelivery(id, .confirmed)]
    }

    /// Gives up what has reached its age. At the instant itself it has.
    public mutating func expire(at now: MonotonicInstant) -> [SettledDelivery] {
        guard let age = bounds.age else { return [] }
        var settled: [SettledDelivery] = []
        for place in head..<slots.count {
            guard let entry = slots[place].entry else { continue }
            // What is still being stored was not promised yet.
            guard entry.state != .storing, entry.takenIn.advanced(by: age) <= now else { break }
            settled.append(SettledDelivery(slots[place].id, .expired))
        }
        for delivery in settled { if let place = place(of: delivery.id) { remove(place) } }
        return settled
    }

    /// The places before the cursor hold only what is written.
    private func isWritten(_ place: Int) -> Bool {
        slots[place].entry?.state == .written
    }
}

// Places.
extension Outbox {
    /// Moves the cursor to the next entry, or behind the last. It never stands on an empty place, so none is looked at
    /// twice between two ends.
    private mutating func passEmptyPlaces() {
        while cursor < slots.count, slots[cursor].entry == nil { cursor &+= 1 }
    }

    /// Where the entry with this id stands. The ids are in order, and most follow one another without a gap, so it is
    /// looked for first as far from the head as its number says.
    func place(of id: DeliveryID) -> Int? {
        if head < slots.count {
            let distance = id.number &- slots[head].id.number
            if distance < UInt64(slots.count &- head) {
                let guess = head &+ Int(distance)
                if slots[guess].id == id { return slots[guess].entry == nil ? nil : guess }
            }
        }
        let place = firstPlace(from: id)
        guard place < slots.count, slots[place].id == id, slots[place].entry != nil else {
            return nil
        }
        return place
    }

    /// The first place whose id is `id` or a later one.
    func firstPlace(from id: DeliveryID) -> Int {
        var (low, high) = (head, slots.count)
        while low < high {
            let middle = low &+ (high &- low) / 2
            if slots[middle].id < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// Takes an entry out. Its place goes when it is the first, or when too many have no entry.
    mutating func remove(_ place: Int) {
        guard let entry = slots[place].entry.take() else { return }
        count &-= 1
        let weight = OutboxBounds.weight(entry.contents.byteCount)
        bytes = bytes &- weight
        if entry.isSessionBound {
            sessionBound &-= 1
        } else if case .held = entry.contents {
            held.remove(weight)
        }
        while head < slots.count, slots[head].entry == nil { head &+= 1 }
        cursor = max(cursor, head)
        passEmptyPlaces()
        if slots.count &- count > count &+ Self.sparePlaces { compact() }
    }

    private mutating func compact() {
        let written = slots[..<cursor].count { $0.entry != nil }
        slots.removeAll { $0.entry == nil }
        head = 0
        cursor = written
    }
}
