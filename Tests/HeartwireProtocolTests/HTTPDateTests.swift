import Testing

@testable import HeartwireProtocol

@Suite struct HTTPDateTests {
    @Test("RFC 9110 5.6.7: the example of the RFC, the epoch, and days around leap days")
    func known() {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Tue, 29 Feb 2000 23:59:59 GMT") == 951_868_799)
        #expect(HTTPDate.seconds("Wed, 01 Mar 2000 00:00:00 GMT") == 951_868_800)
        #expect(HTTPDate.seconds("Mon, 01 Mar 2100 00:00:00 GMT") == 4_107_542_400)
        #expect(HTTPDate.seconds("Fri, 31 Dec 9999 23:59:60 GMT") == 253_402_300_800)
    }

    @Test(
        "RFC 9110 5.6.7: the two obsolete forms are taken; two digits are a year from 1970 to 2069")
    func obsolete() {
        #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thursday, 01-Jan-70 00:00:00 GMT") == 0)
        #expect(
            HTTPDate.seconds("Tuesday, 31-Dec-69 00:00:00 GMT")
                == HTTPDate.seconds("Tue, 31 Dec 2069 00:00:00 GMT"))
        #expect(HTTPDate.seconds("Sun Nov  6 08:49:37 1994") == 784_111_777)
        #expect(HTTPDate.seconds("Wed Nov 16 08:49:37 1994") == 784_111_777 + 864_000)
    }

    @Test("RFC 9110 5.6.7: the first day of each month follows the last of the one before")
    func months() throws {
        let names = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var expected = try #require(HTTPDate.seconds("Sun, 01 Jan 2023 00:00:00 GMT"))
        for (name, length) in zip(names, lengths) {
            #expect(HTTPDate.seconds("Sun, 01 \(name) 2023 00:00:00 GMT") == expected)
            expected += length * 86_400
        }
    }

    @Test(
        "RFC 9110 5.6.7: anything else is no date",
        arguments: [
            "", "120", "-", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 UTC", "Sunday, 06-Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-x4 08:49:37 GMT", "Sunday; 06-Nov-94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:60 GMT ", "Sunday, 06-Nov-94 08:49:xx GMT",
            "Foo Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 19x4", "Sun Nov   6 8:49:37 1994",
            "Sun,Nov  6 08:49:37 1994", "Sun Nov  6-08:49:37 1994", "Sun Nov  6 08:49:37+1994",
            "Sun Nov +6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:00:61 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Foo, 06 Nov 1994 08:49:37 GMT",
            "Sun, 6  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19x4 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun; 06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov 1994 08:49:37 GMT", "Sun, 06 Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994-08:49:37 GMT", "Sun, 06 Nov 1994 08.49:37 GMT",
            "Sun, 06 Nov 1994 08:49.37 GMT", "Sun, 06 Nov 1994 x8:49:37 GMT",
            "Sun, 06 Nov 1994 08:x9:37 GMT", "Sun, 06 Nov 1994 08:49:x7 GMT",
        ])
    func others(_ text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
