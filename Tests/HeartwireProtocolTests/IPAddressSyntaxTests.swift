import Testing

@testable import HeartwireProtocol

@Suite struct IPAddressSyntaxTests {
    @Test(
        "RFC 3986 3.2.2: four decimal numbers are IPv4",
        arguments: ["0.0.0.0", "127.0.0.1", "255.255.255.255", "1.20.30.199"])
    func lawfulIPv4(text: String) {
        #expect(IPAddressSyntax.isIPv4(Array(text.utf8)))
    }

    @Test(
        "RFC 3986 3.2.2: other numbers, other counts and leading zeros are not IPv4",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.999", "01.2.3.4", "1.2.3.00",
            "1.2.3.", ".1.2.3", "1..2.3", "a.b.c.d", "1.2.3.4 ", "1.2.3.0x4", "1.2.3.1234", "-1.2.3.4",
        ])
    func unlawfulIPv4(text: String) {
        #expect(!IPAddressSyntax.isIPv4(Array(text.utf8)))
    }

    @Test(
        "RFC 3986 3.2.2: eight groups, one gap and an IPv4 tail are IPv6",
        arguments: [
            "::", "::1", "1::", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "64:ff9b::192.0.2.33",
            "FE80::ABCD", "1::8", "::1.2.3.4",
        ])
    func lawfulIPv6(text: String) {
        #expect(IPAddressSyntax.isIPv6(Array(text.utf8)))
    }

    @Test(
        "RFC 3986 3.2.2: too many or too few groups, two gaps and foreign characters are not IPv6",
        arguments: [
            "", ":", ":::", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8", "1::2::3", "12345::", "g::", "1:", ":1", "1.2.3.4", "1.2.3.4::",
            "::1.2.3", "::1.2.3.256", "::1.2.3.4:5", "fe80::1%eth0", "fe80::1%25eth0", "1:2:3:4:5:6:7:1.2.3.4",
            "[::1]",
        ])
    func unlawfulIPv6(text: String) {
        #expect(!IPAddressSyntax.isIPv6(Array(text.utf8)))
    }
}
