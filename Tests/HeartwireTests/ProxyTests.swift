import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// Proxies, from the client's own point of view.
@Suite struct ProxyTests {
    private let world = RawWorld()
    private let greeting: [UInt8] = [0x81, 2, 0x48, 0x69, 0x88, 0]

    private func greet(_ port: UInt16) {
        world.serve(port: port) { [greeting] connection in
            connection.write(Array(connection.switching.utf8) + greeting)
        }
    }

    private func run(
        _ url: String, _ proxy: ProxyConfiguration,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> RawWorld.Result {
        try world.run(url) { configuration in
            configuration.proxy = proxy
            configure(&configuration)
        }
    }

    @Test("K05-24: a ws: URL goes through an HTTP proxy by CONNECT, and the server sees no proxy")
    func connect() throws {
        world.proxy(port: 3_128)
        greet(8_080)
        let result = try run("ws://origin.test:8080/x", .http("http://proxy:3128"))
        #expect(result.messages == [.text("Hi")])
        #expect(
            world.heads == [
                "CONNECT origin.test:8080 HTTP/1.1\r\nHost: origin.test:8080", world.heads[1],
            ])
        #expect(world.heads[1].hasPrefix("GET /x HTTP/1.1\r\nHost: origin.test:8080\r\n"))
        #expect(result.journal.contains { $0.phase == .proxy })
    }

    @Test("K12-02: through a proxy it is the proxy that acknowledges")
    func unacknowledged() throws {
        world.proxy(port: 3_128)
        world.serve(port: 80) { connection in
            connection.write(connection.switching)
        }
        let proxy = try ProxyConfiguration.http("http://proxy:3128")
        let watched = try world.client("ws://h/") { $0.proxy = proxy }
        let world = world
        let (told, settled) = try world.executor.runScript {
            let client = watched.client
            await client.connect()
            try await client.waitUntilOpen()
            world.connections[0].channel.freeze()
            try await client.send(.binary([UInt8](repeating: 1, count: 100_000)))
            let told = await client.unacknowledgedBytes
            world.connections[0].channel.thaw()
            _ = await watched.log.wait(.seconds(1)) { _ in false }
            let settled = await client.unacknowledgedBytes
            await client.disconnect()
            watched.stopWatching()
            return (told, settled)
        }
        #expect(told >= 100_000)
        #expect(settled == 0)
    }

    @Test(
        "K05-22: any 2xx opens the tunnel, whatever it says of a body",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.0 200 Connection established\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 299\r\n\r\n",
        ])
    func answers(_ head: String) throws {
        world.proxy(port: 3_128, answering: head)
        greet(80)
        let result = try run("ws://[2001:db8::1]/", .http("http://proxy:3128"))
        #expect(result.messages == [.text("Hi")])
        #expect(world.heads[0].hasPrefix("CONNECT [2001:db8::1]:80 HTTP/1.1\r\n"))
    }

    @Test("K05-22: no byte behind the proxy's blank line is lost")
    func glued() throws {
        world.serve(port: 3_128) { [greeting] connection in
            // The origin answers before it was asked: the key is not known yet, so its 101 is a wrong one.
            connection.write(
                Array(("HTTP/1.1 200 OK\r\n\r\n" + connection.switching).utf8) + greeting)
        }
        let result = try run("ws://h/", .http("http://proxy:3128"))
        #expect("\(result.cause as Any)".contains("Sec-WebSocket-Accept"))
        #expect(result.milliseconds == 0)
    }

    @Test("P6: credentials go to the proxy only, and stand in no journal or cause")
    func credentials() throws {
        world.serve(port: 3_128) { connection in
            connection.write("HTTP/1.1 407 Auth\r\nContent-Length: 0\r\n\r\n")
        }
        let result = try run("ws://h/", .http("http://user:canary@proxy:3128"))
        #expect(world.connections[0].field("Proxy-Authorization") == "Basic dXNlcjpjYW5hcnk=")
        #expect(result.failure == ConnectionFailure(.status(407)))
        #expect(result.journal.contains { $0.cause == .connectFailed && $0.number == 407 })
        var told = "\(result.stop as Any)"
        for event in result.journal { told += event.jsonLine }
        #expect(!told.contains("canary"))
    }

    @Test("R3: after a 407 the request is asked for anew, and may bring other credentials")
    func freshCredentials() throws {
        world.serve(port: 3_128) { [world] connection in
            guard connection.field("Proxy-Authorization") == "Basic dXNlcjoy" else {
                return connection.write("HTTP/1.1 407 Auth\r\n\r\n")
            }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            connection.tunnel(world.network)
        }
        greet(80)
        let result = try world.run("ws://h/", messages: 1) { configuration in
            configuration.reconnect = ReconnectPolicy()
            configuration.request = { attempt in
                var request = try ConnectionRequest(url: attempt.url)
                request.proxy = try .http("http://user:\(attempt.number + 1)@proxy:3128")
                return request
            }
        }
        #expect(result.messages == [.text("Hi")])
        #expect(world.connections.count == 3)
    }

    @Test("P6: what a proxy says is the typed cause of the failed attempt")
    func failures() throws {
        let answers: [(String, ProxyFailure)] = [
            ("HTTP/1.1 403 No\r\n\r\n", .status(403)), ("HTTP/1.1 502 No\r\n\r\n", .status(502)),
            ("220 smtp\r\n\r\n", .malformedAnswer), ("", .ended), ("HTTP/1.1 2", .ended),
        ]
        let proxy = try ProxyConfiguration.http("http://proxy:3128")
        for (answer, failure) in answers {
            let world = RawWorld()
            world.serve(port: 3_128) { connection in
                connection.write(answer)
                connection.channel.finish()
            }
            let result = try world.run("ws://h/") { $0.proxy = proxy }
            #expect(result.failure == ConnectionFailure(failure))
            #expect(result.milliseconds == 0)
        }
        let refused = try run("ws://h/", .http("http://proxy:1"))
        #expect(refused.failure?.kind == .refused)
        #expect(refused.failure?.isAtProxy == true)
    }

    @Test("P6: a reset is the proxy's while it is asked, and the server's behind it")
    func resets() throws {
        let proxy = try ProxyConfiguration.http("http://proxy:3128")
        for (answer, isAtProxy) in [("", true), ("HTTP/1.1 200 OK\r\n\r\n", false)] {
            let world = RawWorld()
            world.serve(port: 3_128) { connection in
                connection.write(answer)
                connection.channel.abort(reset: true)
            }
            let failure = try world.run("ws://h/") { $0.proxy = proxy }.failure
            #expect(failure?.kind == .reset)
            #expect(failure?.isAtProxy == isAtProxy)
        }
    }

    @Test("K05-10: a proxy that says nothing ends at the deadline, and the reason names the proxy")
    func silence() throws {
        world.accept(port: 3_128) { _ in }
        for proxy in ["http://proxy:3128", "socks5://proxy:3128"] {
            let server = ProxyConfiguration.server(try ProxyServer(proxy))
            let result = try run("ws://h/", server)
            #expect(result.cause == .connectTimeout(.proxy))
        }
    }

    @Test("P6: TLS runs inside of the tunnel")
    func tls() throws {
        world.proxy(port: 3_128)
        world.accept(port: 443) { _ in }
        let result = try run("wss://h/", .http("http://proxy:3128"))
        #expect(result.cause == .connectTimeout(.tls))
        #expect(world.heads == ["CONNECT h:443 HTTP/1.1\r\nHost: h:443"])
        // A record with a ClientHello (RFC 8446 5.1).
        #expect(world.connections[1].received.first == 0x16)
    }

    @Test("P6: SOCKS5 with user name and password; the name is left to the proxy")
    func socks() throws {
        let network = world.network
        world.accept(port: 1_080) { connection in
            let name = Array("xn--bcher-kva.test".utf8)
            let login: [UInt8] = [1, 1, 0x75, 2, 0x70, 0x77]
            let request: [UInt8] = [5, 1, 0, 3, UInt8(name.count)] + name + [0, 80]
            connection.onBytes = { connection in
                switch connection.received {
                case [5, 2, 0, 2]: connection.write([5, 2])
                case [5, 2, 0, 2] + login: connection.write([1, 0])
                case [5, 2, 0, 2] + login + request:
                    connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                    connection.join(network, port: 80)
                default: break
                }
            }
        }
        greet(80)
        let result = try run("ws://bücher.test/", .socks5("socks5://u:pw@proxy"))
        #expect(result.messages == [.text("Hi")])
        #expect(world.heads.contains { $0.contains("Host: xn--bcher-kva.test") })
    }

    @Test("P6: a SOCKS5 refusal is typed by its reply")
    func socksRefusal() throws {
        world.accept(port: 1_080) { connection in
            connection.onBytes = { connection in
                if connection.received.count == 3 { connection.write([5, 0]) }
                if connection.received.count > 3 { connection.write([5, 5, 0, 1]) }
            }
        }
        let result = try run("ws://h/", .socks5("socks5://proxy"))
        #expect(result.failure == ConnectionFailure(.reply(5)))
    }

    @Test("K05-24: NO_PROXY makes the way direct, for redirects, too")
    func exceptions() throws {
        world.proxy(port: 3_128)
        world.serve(port: 80) { connection in
            connection.write("HTTP/1.1 302 x\r\nLocation: ws://far.test:81/\r\n\r\n")
        }
        greet(81)
        let variables = try ProxyVariables([
            "http_proxy": "http://proxy:3128", "no_proxy": "near.test",
        ])
        let result = try run("ws://near.test/", .variables(variables)) { $0.redirects = .follow }
        #expect(result.messages == [.text("Hi")])
        #expect(world.heads.map { String($0.prefix(7)) } == ["GET / H", "CONNECT", "GET / H"])
    }

    @Test("P6: an attempt that is given up leaves nothing behind at the proxy")
    func givenUp() throws {
        world.accept(port: 3_128) { _ in }
        let proxy = try ProxyConfiguration.http("http://proxy:3128")
        let watched = try world.client("ws://h/") { $0.proxy = proxy }
        try world.executor.runScript {
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(1)) { _ in false }
            await watched.client.disconnect()
        }
        world.executor.runUntilIdle()
        #expect(world.connections[0].hasEnded)
        #expect(world.executor.pendingTimers == 0)
        watched.stopWatching()
    }
}
