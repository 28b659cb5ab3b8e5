import HeartwireProtocol
import Testing

@Suite struct ProxyExceptionsTests {
    private func isDirect(_ url: String, _ list: String) throws -> Bool {
        ProxyExceptions(list).contain(try WebSocketURL(url))
    }

    @Test("K05-24: a name means itself and what is below it, whatever the case")
    func names() throws {
        #expect(try isDirect("ws://origin.test:8080/x", "origin.test"))
        #expect(try isDirect("ws://a.b.Origin.test", "ORIGIN.TEST."))
        #expect(try !isDirect("ws://notorigin.test", "origin.test"))
        #expect(try !isDirect("ws://test", "origin.test"))
        #expect(try isDirect("ws://bücher.test", "bücher.test"))
    }

    @Test("K05-24: with a dot or a star in front a name means only what is below it")
    func suffixes() throws {
        for entry in [".test", "*.test"] {
            #expect(try isDirect("ws://origin.test", entry))
            #expect(try !isDirect("ws://test", entry))
        }
    }

    @Test("K05-24: an address means that address, and a star means everything")
    func addresses() throws {
        #expect(try isDirect("ws://127.0.0.1:9", "127.0.0.1"))
        #expect(try !isDirect("ws://127.0.0.2", "127.0.0.1"))
        #expect(try !isDirect("ws://localhost", "127.0.0.1"))
        #expect(try isDirect("ws://[2001:db8:0::1]", "2001:DB8::1"))
        #expect(try isDirect("ws://[::1]", "[::1]"))
        #expect(try isDirect("ws://anything.test", "*"))
        #expect(try !isDirect("ws://10.0.0.1", "0.1"))
    }

    @Test("RFC 4632 3.1: a prefix means every address of the network, IPv4 and IPv6 apart")
    func networks() throws {
        #expect(try isDirect("ws://10.1.2.3", "10.0.0.0/8"))
        #expect(try !isDirect("ws://11.1.2.3", "10.0.0.0/8"))
        #expect(try isDirect("ws://192.168.1.129", "192.168.1.128/25"))
        #expect(try !isDirect("ws://192.168.1.127", "192.168.1.128/25"))
        #expect(try isDirect("ws://1.2.3.4", "0.0.0.0/0"))
        #expect(try !isDirect("ws://[::1]", "0.0.0.0/0"))
        #expect(try isDirect("ws://[2001:db8:7::1]", "2001:db8::/32"))
        #expect(try isDirect("ws://1.2.3.4", "1.2.3.4/32"))
        #expect(try !isDirect("ws://name.test", "0.0.0.0/0"))
    }

    @Test("RFC 4291 2.5.5.2: an IPv4-mapped address reaches the IPv4 one, and counts as both")
    func mapped() throws {
        #expect(try isDirect("ws://[::ffff:127.0.0.1]", "127.0.0.0/8"))
        #expect(try isDirect("ws://[::ffff:7f00:1]", "127.0.0.1"))
        #expect(try isDirect("ws://[::ffff:127.0.0.1]", "::ffff:127.0.0.1"))
        #expect(try !isDirect("ws://[::ffff:127.0.0.1]", "128.0.0.0/8"))
        #expect(try !isDirect("ws://[::127.0.0.1]", "127.0.0.0/8"))
    }

    @Test("K05-24: an entry with a port holds for that port, the scheme's own included")
    func ports() throws {
        #expect(try isDirect("ws://origin.test:8080", "origin.test:8080"))
        #expect(try !isDirect("ws://origin.test:8081", "origin.test:8080"))
        #expect(try isDirect("wss://origin.test", "origin.test:443"))
        #expect(try isDirect("ws://[::1]:8080", "[::1]:8080"))
        #expect(try !isDirect("ws://[::1]", "[::1]:8080"))
        #expect(try isDirect("ws://127.0.0.1:8080", "127.0.0.1:8080"))
        for (url, list) in [("10.1.2.3", "10.0.0.0/8"), ("[2001:db8::9]", "[2001:db8::]/32")] {
            #expect(try isDirect("ws://\(url):8080", list))
            #expect(try isDirect("ws://\(url):8080", list + ":8080"))
            #expect(try !isDirect("ws://\(url):8081", list + ":8080"))
        }
    }

    @Test("K05-24: entries stand between commas or white space")
    func lists() throws {
        for list in ["a.test,b.test", "a.test b.test", " a.test ,\tb.test,", "a.test,,b.test"] {
            #expect(try isDirect("ws://b.test", list))
            #expect(try !isDirect("ws://c.test", list))
        }
        #expect(try !isDirect("ws://a.test", ""))
    }

    @Test(
        "P5: what is no entry counts for nothing",
        arguments: [
            "1.2.3.0/33", "1.2.3.0/", "1.2.3.0/x", "1.2.3.0/1234", "1.2.3.0/8/8", "u@h.test",
            "1.2.3.0/8:", "1.2.3.0/8:0", "1.2.3.0/8:x", "1.2.3.0/8:65536", "1.2.3.0/8:80:80",
            "h.test/8",

            ".", "*.", "*.1.2.3.4", "h.test:0", "h.test:x", "[::1", "//", "/",
        ])
    func nonsense(_ entry: String) throws {
        #expect(try !isDirect("ws://1.2.3.4", entry))
        #expect(try !isDirect("ws://h.test", entry))
    }
}
