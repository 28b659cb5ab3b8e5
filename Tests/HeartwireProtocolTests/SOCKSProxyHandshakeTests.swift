import Testing

@testable import HeartwireProtocol

@Suite struct SOCKSProxyHandshakeTests {
    private let granted: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

    @Test("RFC 1928 4: a name goes to the proxy as it is, to be resolved there")
    func name() throws {
        let run = try ProxyRun("socks5://p", to: "wss://bücher.test/", [[5, 0], granted])
        let name = Array("xn--bcher-kva.test".utf8)
        #expect(run.sent == [[5, 1, 0], [5, 1, 0, 3, UInt8(name.count)] + name + [0x01, 0xBB]])
        #expect(run.outcome == .established)
        #expect(run.rest.isEmpty)
    }

    @Test("RFC 1928 5: addresses go out as their bytes")
    func addresses() throws {
        let four = try ProxyRun("socks5://p", to: "ws://192.0.2.7:8080/", [[5, 0]])
        #expect(four.sent.last == [5, 1, 0, 1, 192, 0, 2, 7, 0x1F, 0x90])
        let six = try ProxyRun("socks5://p", to: "ws://[::1]/", [[5, 0]])
        #expect(
            six.sent.last == [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1] + [0, 80])
    }

    @Test("RFC 1929 2: user name and password go out when the proxy asks for them")
    func login() throws {
        let run = try ProxyRun(
            "socks5://us:pw%21@p", to: "ws://1.2.3.4", [[5, 2], [1, 0], granted])
        #expect(run.sent[0] == [5, 2, 0, 2])
        #expect(run.sent[1] == [1, 2] + Array("us".utf8) + [3] + Array("pw!".utf8))
        #expect(run.sent[2].prefix(4) == [5, 1, 0, 1])
        #expect(run.outcome == .established)
    }

    @Test("RFC 1928 3: a proxy that asks for no login gets none")
    func loginNotAsked() throws {
        let run = try ProxyRun("socks5://us:pw@p", to: "ws://1.2.3.4", [[5, 0], granted])
        #expect(run.sent.count == 2)
        #expect(run.outcome == .established)
    }

    @Test("P6: the refusals of each step are told apart")
    func refusals() throws {
        func outcome(_ proxy: String, _ pieces: [UInt8]...) throws -> ProxyHandshake.Outcome? {
            try ProxyRun(proxy, to: "ws://h", pieces).outcome
        }
        #expect(try outcome("socks5://p", [5, 0xFF]) == .failed(.noAcceptableMethod))
        #expect(try outcome("socks5://p", [5, 2]) == .failed(.noAcceptableMethod))
        #expect(try outcome("socks5://u:p@p", [5, 1]) == .failed(.noAcceptableMethod))
        #expect(try outcome("socks5://u:p@p", [5, 2], [1, 1]) == .failed(.credentialsRefused))
        for reply in UInt8(1)...8 {
            let answer: [UInt8] = [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]
            #expect(try outcome("socks5://p", [5, 0], answer) == .failed(.reply(reply)))
        }
    }

    @Test("RFC 1928 6: the bound address may be of any kind, and what follows it is the server's")
    func boundAddresses() throws {
        let addresses: [[UInt8]] = [
            [1, 1, 2, 3, 4], [4] + [UInt8](repeating: 9, count: 16), [3, 0], [3, 3, 65, 66, 67],
            [3, 255] + [UInt8](repeating: 65, count: 255),
        ]
        for address in addresses {
            let bytes: [UInt8] = [5, 0] + [5, 0, 0] + address + [0, 80] + [0x81, 1, 0x41]
            for cut in 0...bytes.count {
                let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
                let run = try ProxyRun("socks5://p", to: "ws://h", pieces)
                #expect(run.outcome == .established)
                #expect(run.rest == [0x81, 1, 0x41])
            }
        }
    }

    @Test("P5: what is no SOCKS5 fails at the first wrong byte")
    func malformed() throws {
        let streams: [(proxy: String, bytes: [UInt8])] = [
            ("socks5://p", [4]), ("socks5://p", Array("H".utf8)),
            ("socks5://u:p@p", [5, 2, 0]), ("socks5://p", [5, 0, 4]),
            ("socks5://p", [5, 0, 5, 0, 0, 2, 0]),
        ]
        for stream in streams {
            let run = try ProxyRun(stream.proxy, to: "ws://h", stream.bytes.map { [$0] })
            #expect(run.outcome == .failed(.malformedAnswer), "\(stream.bytes)")
            #expect(run.rest.isEmpty)
        }
    }

    @Test("Some proxies answer the login with 5 in place of 1")
    func wrongSubversion() throws {
        let run = try ProxyRun("socks5://u:p@p", to: "ws://h", [[5, 2], [5, 0], granted])
        #expect(run.outcome == .established)
    }
}
