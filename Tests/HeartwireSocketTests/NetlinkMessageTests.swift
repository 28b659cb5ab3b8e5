import Testing

@testable import HeartwireSocket

/// Bytes as the kernel puts them, in the machine's order.
enum NetlinkBytes {
    static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    /// A message with a body, padded to the alignment. `claims` replaces the true length.
    static func message(
        _ type: UInt16, _ body: [UInt8], flags: UInt16 = 0, sequence: UInt32 = 0, port: UInt32 = 0,
        claims: Int? = nil
    ) -> [UInt8] {
        padded(
            number(UInt32(claims ?? NetlinkMessage.headerBytes + body.count)) + number(type)
                + number(flags) + number(sequence) + number(port) + body)
    }

    static func attribute(_ type: UInt16, _ value: [UInt8], claims: Int? = nil) -> [UInt8] {
        padded(number(UInt16(claims ?? 4 + value.count)) + number(type) + value)
    }

    static func link(_ index: UInt32, flags: UInt32 = 0x41, family: UInt8 = 0) -> [UInt8] {
        [family, 0] + number(UInt16(1)) + number(index) + number(flags) + number(UInt32(0))
    }

    static func address(
        _ link: UInt32, _ bytes: [UInt8], scope: UInt8 = 0, flags: UInt8 = 0, family: UInt8 = 2,
        extra: [UInt8] = []
    ) -> [UInt8] {
        [family, 24, flags, scope] + number(link) + attribute(1, bytes) + extra
    }

    static func route(
        to bits: UInt8 = 0, table: UInt8 = 254, flags: UInt32 = 0, family: UInt8 = 2,
        _ attributes: [UInt8] = []
    ) -> [UInt8] {
        [family, bits, 0, 0, table, 3, 0, 1] + number(flags) + attributes
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + Array(repeating: 0, count: NetlinkMessage.aligned(bytes.count) - bytes.count)
    }
}

@Suite("NetlinkMessage: what the kernel says, taken apart")
struct NetlinkMessageTests {
    private typealias Bytes = NetlinkBytes

    @Test("L3: the messages of a datagram come apart, with their fields and without the padding")
    func messages() {
        let datagram =
            Bytes.message(16, [1, 2, 3, 4, 5], flags: 0x10, sequence: 7, port: 9)
            + Bytes.message(20, [])
        let messages = NetlinkMessage.parse(datagram)
        #expect(messages.map(\.type) == [16, 20])
        #expect(messages[0].flags == 0x10)
        #expect(messages[0].sequence == 7)
        #expect(messages[0].port == 9)
        #expect(Array(messages[0].body) == [1, 2, 3, 4, 5])
        #expect(messages[1].body.isEmpty)
    }

    @Test(
        "L3: a length that is too short or too long ends the datagram there",
        arguments: [0, 1, 15, 21, 1_000, Int(UInt32.max)])
    func wrongLengths(claims: Int) {
        let datagram = Bytes.message(16, []) + Bytes.message(20, [1, 2, 3, 4], claims: claims)
        #expect(NetlinkMessage.parse(datagram).map(\.type) == [16])
    }

    @Test("L3: a datagram that is cut anywhere gives what is whole, and never traps")
    func cut() {
        let datagram =
            Bytes.message(20, Bytes.address(1, [10, 0, 0, 1])) + Bytes.message(24, Bytes.route())
        let whole = NetlinkMessage.parse(datagram).count
        for count in 0..<datagram.count {
            let messages = NetlinkMessage.parse(Array(datagram.prefix(count)))
            #expect(messages.count < whole)
            for message in messages { _ = message.attributes(after: 8) }
        }
        #expect(whole == 2)
    }

    @Test("L3: attributes come apart, without the bits that say how they are made")
    func attributes() {
        let body =
            [UInt8](repeating: 0, count: 8) + Bytes.attribute(1, [10, 0, 0, 1])
            + Bytes.attribute(0x8003, [120])
        let message = NetlinkMessage.parse(Bytes.message(20, body))[0]
        let attributes = message.attributes(after: 8)
        #expect(attributes.map(\.type) == [1, 3])
        #expect(attributes.map { Array($0.value) } == [[10, 0, 0, 1], [120]])
        #expect(message.attributes(after: 1_000).isEmpty)
    }

    @Test("L3: an attribute of an impossible length ends the list", arguments: [0, 3, 9, 60_000])
    func wrongAttributes(claims: Int) {
        let bytes = Bytes.attribute(1, [1]) + Bytes.attribute(2, [2, 2, 2, 2], claims: claims)
        #expect(NetlinkAttribute.parse(bytes[...]).map(\.type) == [1])
    }

    @Test("L3: numbers are read in the machine's order, and what is not there is 0")
    func numbers() {
        let bytes = ([9] + Bytes.number(UInt32(0x0102_0304)))[1...]
        #expect(bytes.number32(at: 0) == 0x0102_0304)
        #expect(bytes.byte(at: 4) == 0)
        #expect(bytes.number16(at: 4) == 0)
        #expect(([] as [UInt8])[...].number32(at: 0) == 0)
        #expect(Bytes.number(UInt16(0x0506))[...].number16(at: 0) == 0x0506)
    }

    @Test("L3: a request is one message that asks for the whole list")
    func request() {
        let bytes = NetlinkMessage.dumpRequest(18, sequence: 5)
        #expect(bytes.count == 20)
        let message = NetlinkMessage.parse(bytes)[0]
        #expect(message.type == 18)
        #expect(message.flags == 0x301)
        #expect(message.sequence == 5)
        #expect(message.port == 0)
        #expect(message.body.count == 1)
    }
}
