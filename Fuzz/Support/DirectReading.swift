public import HeartwireProtocol

extension ConnectionEngine {
    /// Hands bytes over as a channel does that reads the payload of long messages to where it stays: as many as
    /// the engine would have directly, and the rest as ever.
    public mutating func receiveWhereTheyStay(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, directBytes > 0 {
            let before = rest.count
            let bound = directBytes
            receiveDirectly(atMost: before) { room in
                require(room.count <= min(before, bound), "the room is no larger than was said")
                room.copyBytes(from: rest.prefix(room.count))
                rest = rest.dropFirst(room.count)
                return room.count
            }
            guard rest.count < before else { break }
        }
        let left = Array(rest)
        receive(left.span)
    }
}
