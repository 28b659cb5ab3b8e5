import Testing

@testable import HeartwireProtocol

@Suite struct IPAddressBytesTests {
    @Test("IPv4 is four bytes in the order in which they are written")
    func ipv4() {
        #expect(IPAddressBytes.parse("127.0.0.1") == [127, 0, 0, 1])
        #expect(IPAddressBytes.parse("255.254.10.0") == [255, 254, 10, 0])
    }

    @Test("RFC 4291 2.2: the zeros that :: leaves out come back in their place")
    func ipv6() {
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
        #expect(IPAddressBytes.parse("::") == zeros(16))
        #expect(IPAddressBytes.parse("::1") == zeros(15) + [1])
        #expect(IPAddressBytes.parse("2001:db8::") == [0x20, 0x01, 0x0D, 0xB8] + zeros(12))
        #expect(
            IPAddressBytes.parse("2001:DB8::a:0:12") == [0x20, 0x01, 0x0D, 0xB8] + zeros(6)
                + [0, 0x0A, 0, 0, 0, 0x12])
        #expect(
            IPAddressBytes.parse("1:2:3:4:5:6:7:8")
                == [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8])
    }

    @Test("RFC 4291 2.2: the last four bytes may be written as IPv4")
    func mixed() {
        #expect(
            IPAddressBytes.parse("::ffff:192.0.2.1")
                == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1])
        #expect(IPAddressBytes.parse("1:2:3:4:5:6:1.2.3.4")?.suffix(4) == [1, 2, 3, 4])
    }

    @Test(
        "What is no address has no bytes",
        arguments: ["", "localhost", "1.2.3", "1.2.3.256", "01.2.3.4", ":::", "1::2::3", "12345::"])
    func others(_ text: String) {
        #expect(IPAddressBytes.parse(text) == nil)
    }
}
