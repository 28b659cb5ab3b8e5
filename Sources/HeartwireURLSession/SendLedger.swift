/// What was handed to a task and not reported as sent (promises T1, T4).
///
/// Each message has a slot that counts once: a completion that comes twice, or for nothing, changes nothing.
struct SendLedger {
    /// The identity of one message that was handed over.
    struct Slot: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private let highWater: Int
    private let lowWater: Int
    private var sizes: [UInt64: Int] = [:]
    private var lastNumber: UInt64 = 0
    private var owesWritable = false
    /// The bytes that are on their way.
    private(set) var outstandingBytes = 0

    /// Begins with nothing on its way. Marks below zero count as zero.
    init(highWater: Int, lowWater: Int) {
        self.highWater = max(0, highWater)
        self.lowWater = max(0, lowWater)
    }

    /// Whether nothing is on its way.
    var isEmpty: Bool { sizes.isEmpty }

    /// Notes a message.
    ///
    /// - Returns: its slot, and whether there is room for more.
    mutating func add(bytes: Int) -> (slot: Slot, hasRoom: Bool) {
        lastNumber &+= 1
        sizes[lastNumber] = bytes
        outstandingBytes += bytes
        let hasRoom = outstandingBytes <= highWater
        if !hasRoom { owesWritable = true }
        return (Slot(number: lastNumber), hasRoom)
    }

    /// Settles a slot.
    ///
    /// - Returns: whether it was the first time; and whether it is to be reported that there is room again.
    mutating func settle(_ slot: Slot) -> (isFirst: Bool, becameWritable: Bool) {
        guard let bytes = sizes.removeValue(forKey: slot.number) else { return (false, false) }
        outstandingBytes -= bytes
        guard owesWritable, outstandingBytes <= lowWater else { return (true, false) }
        owesWritable = false
        return (true, true)
    }
}
