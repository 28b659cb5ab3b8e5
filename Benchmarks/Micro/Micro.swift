/// One thing that is measured: a small, synchronous part, over and over.
struct Micro: Sendable {
    let name: String
    /// The bytes that one operation goes over; 0 where it is not about bytes.
    var bytes = 0
    /// The loop that it is compared with, in the same run; the name of another one, or its own for a reference.
    let reference: String
    /// Makes everything ready, and gives what does so many operations.
    let prepare: @Sendable () -> (Int) -> Void

    /// All that can be measured, references first.
    static let all =
        References.all + Frames.all + Texts.all + Deflates.all + Machines.all + Clients.all

    static func named(_ name: String) -> Micro? {
        all.first { $0.name == name }
    }
}

/// Takes a value, so that nothing that leads to it can be left out.
@inline(never)
@_optimize(none)
func keep<Value>(_ value: Value) {}

/// Memory that lives as long as the process.
func lastingBytes(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
    room.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(room)
}

/// What is copied, masked and validated: this many bytes at a time.
let blockBytes = 65_536
