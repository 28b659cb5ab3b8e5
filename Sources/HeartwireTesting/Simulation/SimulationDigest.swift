/// A number that stands for everything that happened in a simulated world: two runs that differ in
/// one byte or one event differ in it (FNV-1a, 64 bits).
struct SimulationDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            value = (value ^ (number >> shift & 0xFF)) &* 0x100_0000_01B3
        }
    }
}
