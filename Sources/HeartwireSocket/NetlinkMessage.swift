/// One message of the kernel about the network, as rtnetlink(7) has it: a header and a body.
///
/// What arrives is taken for what it may be: each length is compared with what is there, and a message that is cut
/// short, or claims less than its header, ends the datagram.
struct NetlinkMessage {
    static let headerBytes = 16
    /// Messages and attributes begin at multiples of this.
    static let alignment = 4

    /// What the message is about: one of ``Kind``, or something else.
    let type: UInt16
    let flags: UInt16
    /// The number of the request that it answers; of no meaning in an announcement.
    let sequence: UInt32
    /// The socket that asked; 0 for the kernel itself.
    let port: UInt32
    let body: ArraySlice<UInt8>

    /// The types of message that matter here (linux/netlink.h, linux/rtnetlink.h).
    enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let deletedLink: UInt16 = 17
        static let getLink: UInt16 = 18
        static let newAddress: UInt16 = 20
        static let deletedAddress: UInt16 = 21
        static let getAddress: UInt16 = 22
        static let newRoute: UInt16 = 24
        static let deletedRoute: UInt16 = 25
        static let getRoute: UInt16 = 26
    }

    enum Flags {
        static let request: UInt16 = 0x1
        /// The list changed while it was told, and may tell of a state that never was.
        static let interrupted: UInt16 = 0x10
        static let dump: UInt16 = 0x300
    }

    /// The messages of one datagram, in order.
    static func parse(_ bytes: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = bytes[...]
        while rest.count >= headerBytes {
            let length = Int(rest.number32(at: 0))
            guard length >= headerBytes, length <= rest.count else { break }
            messages.append(
                NetlinkMessage(
                    type: rest.number16(at: 4), flags: rest.number16(at: 6),
                    sequence: rest.number32(at: 8), port: rest.number32(at: 12),
                    body: rest.dropFirst(headerBytes).prefix(length - headerBytes)))
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    /// A request for the whole list of what `type` names, for every address family.
    static func dumpRequest(_ type: UInt16, sequence: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        // The body is the shortest that every list takes: struct rtgenmsg, of one byte.
        bytes.append(UInt32(headerBytes + 1))
        bytes.append(type)
        bytes.append(Flags.request | Flags.dump)
        bytes.append(sequence)
        bytes.append(UInt32(0))
        bytes += [0, 0, 0, 0]
        return bytes
    }

    /// What follows `count` bytes of fixed fields in the body.
    func attributes(after count: Int) -> [NetlinkAttribute] {
        NetlinkAttribute.parse(body.dropFirst(Self.aligned(count)))
    }

    static func aligned(_ length: Int) -> Int {
        (length + alignment - 1) / alignment * alignment
    }
}

/// One attribute of a message: a type and a value.
struct NetlinkAttribute {
    static let headerBytes = 4
    /// The two highest bits of a type say how the value is made, not what it is.
    static let typeMask: UInt16 = 0x3FFF

    let type: UInt16
    let value: ArraySlice<UInt8>

    static func parse(_ bytes: ArraySlice<UInt8>) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = bytes
        while rest.count >= headerBytes {
            let length = Int(rest.number16(at: 0))
            guard length >= headerBytes, length <= rest.count else { break }
            attributes.append(
                NetlinkAttribute(
                    type: rest.number16(at: 2) & typeMask,
                    value: rest.dropFirst(headerBytes).prefix(length - headerBytes)))
            rest = rest.dropFirst(NetlinkMessage.aligned(length))
        }
        return attributes
    }
}

extension ArraySlice<UInt8> {
    /// The byte this far behind the first; 0 where there is none.
    func byte(at offset: Int) -> UInt8 {
        offset < count ? self[startIndex + offset] : 0
    }

    /// Two bytes in the machine's order; bytes that are not there count as 0.
    func number16(at offset: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number32(at: offset, bytes: 2))
    }

    /// Four bytes in the machine's order; bytes that are not there count as 0.
    func number32(at offset: Int) -> UInt32 {
        number32(at: offset, bytes: 4)
    }

    private func number32(at offset: Int, bytes: Int) -> UInt32 {
        (0..<bytes).reduce(0) { sum, index in
            #if _endian(little)
                let shift = 8 * index
            #else
                let shift = 8 * (bytes - 1 - index)
            #endif
            return sum | UInt32(byte(at: offset + index)) << UInt32(shift)
        }
    }
}

extension [UInt8] {
    /// Appends a number in the machine's order.
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }
}
