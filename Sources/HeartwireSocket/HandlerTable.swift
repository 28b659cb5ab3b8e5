/// Who is told about which descriptor, by token. Confined to the loop's thread.
///
/// A token is a place in the table and the number of its use, so that an event of a descriptor that was forgotten
/// does not reach whoever has its place now, and finding a handler costs no hash.
struct HandlerTable {
    private struct Place {
        var handler: (any ReadinessHandler)?
        var use: UInt32 = 0
    }

    private var places: [Place] = []
    private var free: [UInt32] = []

    /// How many handlers there are.
    var count: Int { places.count - free.count }

    /// Takes in a handler and gives the token to watch its descriptor under.
    mutating func add(_ handler: any ReadinessHandler) -> UInt64 {
        let index: UInt32
        if let place = free.popLast() {
            index = place
        } else {
            index = UInt32(places.count)
            places.append(Place())
        }
        places[Int(index)].handler = handler
        return UInt64(places[Int(index)].use) << 32 | UInt64(index)
    }

    /// Forgets a token's handler. Answers whether there was one.
    mutating func remove(_ token: UInt64) -> Bool {
        guard let index = index(of: token), places[index].handler.take() != nil else {
            return false
        }
        places[index].use &+= 1
        free.append(UInt32(index))
        return true
    }

    /// The handler that `token` was given out for, unless it was removed.
    subscript(token: UInt64) -> (any ReadinessHandler)? {
        index(of: token).flatMap { places[$0].handler }
    }

    private func index(of token: UInt64) -> Int? {
        let index = Int(token & 0xFFFF_FFFF)
        guard index < places.count, places[index].use == UInt32(token >> 32) else { return nil }
        return index
    }
}
