/// The bytes that the fuzzer has made up, taken from the front as numbers, choices and pieces.
///
/// Past the end everything is zero, so that any input is a whole one.
public struct FuzzInput {
    private let bytes: [UInt8]
    private var offset = 0

    /// Copies what libFuzzer lends.
    public init(_ data: UnsafePointer<UInt8>, _ size: Int) {
        bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    }

    /// How many bytes are left.
    public var count: Int { bytes.count - offset }

    /// The next byte.
    public mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// The next byte as a number from 0 up to `bound`, which is left out and at most 256.
    public mutating func below(_ bound: Int) -> Int {
        Int(byte()) % bound
    }

    /// The next two bytes as a number.
    public mutating func word() -> Int {
        Int(byte()) << 8 | Int(byte())
    }

    /// The next bytes, at most `count`.
    public mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, offset + max(0, count))
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// All that is left.
    public mutating func rest() -> [UInt8] {
        take(count)
    }
}

/// Stops the fuzzer with a word on which property does not hold.
@inline(__always)
public func require(_ holds: Bool, _ property: @autoclosure () -> String) {
    guard holds else { fatalError("does not hold: \(property())") }
}
