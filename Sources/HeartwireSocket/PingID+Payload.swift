import HeartwireSession

extension PingID {
    /// The id as eight bytes, most significant first: a pong names the ping that it answers.
    var payload: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
