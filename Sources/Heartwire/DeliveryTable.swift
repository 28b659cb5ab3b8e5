import HeartwireSession

/// Values by the ids of deliveries, for ids that come nearly in order and go nearly in order.
///
/// Theory of operation. The ids stand in order, with places of values that have gone between them. Ids follow one another
/// with few gaps, so the place of one is most often as far from the first as its number says; where it is
/// not, it is looked for by halving. A dictionary would hash each id, which costs more than all else
/// that is done for a message here.
struct DeliveryTable<Value> {
    private struct Slot {
        let id: DeliveryID
        var value: Value?
    }

    /// Places without a value that are kept at most beyond the number of values.
    private static var sparePlaces: Int { 64 }

    private var slots: [Slot] = []
    /// The first place that has a value.
    private var head = 0
    /// How many values there are.
    private(set) var count = 0

    /// Makes a table without values.
    init() {}

    /// The ids, in order.
    var ids: [DeliveryID] { slots[head...].compactMap { $0.value == nil ? nil : $0.id } }

    /// The values, in the order of their ids.
    var values: [Value] { slots[head...].compactMap(\.value) }

    /// The value for an id; setting `nil` removes it.
    subscript(id: DeliveryID) -> Value? {
        get { place(of: id).flatMap { slots[$0].value } }
        set {
            guard let newValue else { return _ = removeValue(for: id) }
            insert(newValue, for: id)
        }
    }

    /// Takes a value out.
    mutating func removeValue(for id: DeliveryID) -> Value? {
        guard let place = place(of: id), let value = slots[place].value.take() else { return nil }
        count -= 1
        giveBackPlaces()
        return value
    }

    private mutating func giveBackPlaces() {
        while head < slots.count, slots[head].value == nil { head += 1 }
        guard slots.count - count > count + Self.sparePlaces else { return }
        slots.removeAll { $0.value == nil }
        head = 0
    }

    private mutating func insert(_ value: Value, for id: DeliveryID) {
        if let last = slots.last, last.id >= id {
            let place = firstPlace(from: id)
            if place < slots.count, slots[place].id == id {
                if slots[place].value == nil { count += 1 }
                slots[place].value = value
            } else {
                slots.insert(Slot(id: id, value: value), at: place)
                count += 1
            }
            head = min(head, place)
        } else {
            slots.append(Slot(id: id, value: value))
            count += 1
        }
    }

    /// Where the value with this id stands.
    private func place(of id: DeliveryID) -> Int? {
        guard head < slots.count, id >= slots[head].id else { return nil }
        let distance = id.number - slots[head].id.number
        if distance < UInt64(slots.count - head) {
            let guess = head + Int(distance)
            if slots[guess].id == id { return guess }
        }
        let place = firstPlace(from: id)
        return place < slots.count && slots[place].id == id ? place : nil
    }

    /// The first place whose id is `id` or a later one, by halving.
    private func firstPlace(from id: DeliveryID) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension DeliveryTable where Value: AnyObject {
    /// Takes out every value that nobody but the table holds.
    mutating func removeUnshared() {
        for place in head..<slots.count where isKnownUniquelyReferenced(&slots[place].value) {
            slots[place].value = nil
            count -= 1
        }
        giveBackPlaces()
    }
}
