import Testing

@testable import HeartwireProtocol

@Suite("9.1: the grammar of Sec-WebSocket-Extensions")
struct ExtensionHeaderTests {
    /// `name;a;b=c` for each element, or `nil` when the fields break the grammar.
    private func read(_ fields: String...) -> [String]? {
        ExtensionElement.list(fields)?.map { element in
            ([element.name] + element.parameters.map { $0.name + ($0.value.map { "=\($0)" } ?? "") })
                .joined(separator: ";")
        }
    }

    @Test("RFC 6455 9.1: names, parameters and values, in order, repeated ones kept")
    func lists() {
        #expect(read("foo") == ["foo"])
        #expect(read("foo, bar; baz=2") == ["foo", "bar;baz=2"])
        #expect(read("foo; a; b=1; a; b=2") == ["foo;a;b=1;a;b=2"])
        #expect(read("a", "b;c, d") == ["a", "b;c", "d"])
        #expect(read("a;b=c,d;e=\"f\",g") == ["a;b=c", "d;e=f", "g"])
    }

    @Test("RFC 9110 5.6.1: empty elements count for nothing")
    func emptyElements() {
        #expect(read() == [])
        #expect(read("") == [])
        #expect(read(" \t") == [])
        #expect(read(", ,\t,") == [])
        #expect(read(",a,, b,") == ["a", "b"])
    }

    @Test("K07-12: white space is allowed around every separator")
    func spacing() {
        #expect(
            read(" permessage-deflate ;server_max_window_bits = 10 ")
                == ["permessage-deflate;server_max_window_bits=10"])
        #expect(read("a\t;\tb\t=\t\"1\"\t,\tc") == ["a;b=1", "c"])
    }

    @Test("RFC 6455 9.1: a quoted string must say a token, whatever its escapes")
    func quoted() {
        #expect(read("a; b=\"10\"") == ["a;b=10"])
        #expect(read("a; b=\"1\\0\"") == ["a;b=10"])
        for words in ["", "1 0", "a,b", "a;b", "a\\\"b", "a\\", "é", "a\\ "] {
            #expect(read("a; b=\"\(words)\"") == nil, "\(words)")
        }
        #expect(read("a; b=\"a") == nil)
        #expect(read("a; b=\"1\"2") == nil)
        #expect(read("a; b=1\"2\"") == nil)
        #expect(read("a; \"b\"=1") == nil)
    }

    @Test(
        "RFC 6455 9.1: what breaks the grammar is no list",
        arguments: [
            "a b", "a;", "a;;b", "a; b=", "a; b==1", "a; =1", "=", ";", ";a", "a=1", "\"a\"",
            "a; b c",
            "a; b=1 2", "a/b", "a, b c, d", "(a)", "a; b=1, ;", "é",
        ])
    func broken(_ value: String) {
        #expect(ExtensionElement.list([value]) == nil)
        #expect(ExtensionElement.list(["fine", value]) == nil)
    }

    @Test("P4: 100 KiB of anything are read in one pass")
    func linear() {
        let length = 100_000
        let clock = ContinuousClock()
        let values = [
            "a; b=" + String(repeating: "c", count: length),
            "a; b=\"" + String(repeating: "\\c", count: length / 2) + "\"",
            "a" + String(repeating: ";b", count: length / 2),
            String(repeating: "a,", count: length / 2),
            String(repeating: " ", count: length) + "a",
            "a; b=\"" + String(repeating: "c", count: length),
        ]
        let time = clock.measure {
            for value in values { _ = ExtensionElement.list([value]) }
        }
        #expect(ExtensionElement.list([values[0]])?[0].parameters[0].value?.utf8.count == length)
        #expect(ExtensionElement.list([values[2]])?[0].parameters.count == length / 2)
        #expect(ExtensionElement.list([values[5]]) == nil)
        // Linear time takes milliseconds; quadratic time would take minutes in a debug build.
        #expect(time < .seconds(20))
    }
}
