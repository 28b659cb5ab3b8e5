import HeartwireSession

extension PingID {
    /// The id as eight bytes, most significant first: a pong names the ping that it answers.
    var payload: [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// Whether `payload` is this id's, without making that.
    func isNamed(by payload: [UInt8]) -> Bool {
        payload.count == 8
            && payload.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) == number
            }
    }
}
