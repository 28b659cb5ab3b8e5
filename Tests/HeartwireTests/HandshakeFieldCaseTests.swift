import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

/// The field cases of the opening handshake, as the client's user meets them.
@Suite struct HandshakeFieldCaseTests {
    private let world = RawWorld()
    private let hello: [UInt8] = [0x81, 5, 0x48, 0x65, 0x6C, 0x6C, 0x6F]

    @Test("K05-01: a frame glued to the 101 arrives exactly once, wherever the writes are cut")
    func glued() throws {
        for cut in [0, -1, 1, 2, 4] {
            let world = RawWorld()
            world.serve { [hello] connection in
                let head = Array(connection.switching.utf8)
                let all = head + hello
                let end = cut < 0 ? all.count : head.count + cut
                connection.write(Array(all[..<end]))
                connection.after(.milliseconds(5)) { connection.write(Array(all[end...])) }
                connection.after(.seconds(1)) { connection.write([0x88, 0]) }
            }
            let result = try world.run("ws://h/")
            #expect(result.messages == [.text("Hello")])
        }
    }

    @Test("K05-03: names and values in any case open the connection")
    func anyCase() throws {
        world.serve { [hello] connection in
            let accept = connection.switching.split(separator: "Accept: ").last ?? ""
            connection.write(
                "HTTP/1.1 101 x\r\nupgrade: WebSocket\r\nconnection: UPGRADE\r\n"
                    + "sec-websocket-accept: \(accept)")
            connection.write(hello)
        }
        #expect(try world.run("ws://h/", messages: 1).messages.count == 1)
    }

    @Test("K05-04: Connection may be a list or two headers, Upgrade must be websocket alone")
    func upgrade() throws {
        let variants = [
            ("Connection: upgrade, keep-alive\r\nUpgrade: websocket", true),
            ("Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: websocket", true),
            ("Connection: keep-alive\r\nUpgrade: websocket", false),
            ("Connection: Upgrade\r\nUpgrade: websocket, h2c", false),
            ("Connection: Upgrade", false),
        ]
        for (fields, opens) in variants {
            let world = RawWorld()
            world.serve { [hello] connection in
                let accept = connection.switching.split(separator: "Connection: Upgrade\r\n").last
                connection.write("HTTP/1.1 101 x\r\n\(fields)\r\n\(accept ?? "")")
                connection.write(hello)
            }
            let result = try world.run("ws://h/", messages: 1)
            #expect(result.messages.isEmpty != opens)
            guard !opens else { continue }
            #expect(result.cause?.kind == .badHandshake)
            #expect("\(result.cause as Any)".contains("header"))
        }
    }

    @Test("K05-05: a wrong Sec-WebSocket-Accept is refused, and no frame was sent before")
    func accept() throws {
        for (value, opens) in [("", false), ("AAAA", false), ("twice", false), ("right \t", true)] {
            let world = RawWorld()
            world.serve { [hello] connection in
                let right = OpeningRequest.acceptValue(
                    for: connection.field("Sec-WebSocket-Key") ?? "")
                let name = "Sec-WebSocket-Accept"
                let lines =
                    switch value {
                    case "": ""
                    case "twice": "\(name): \(right)\r\n\(name): \(right)\r\n"
                    case "right \t": "\(name): \(right) \t\r\n"
                    default: "\(name): \(value)\r\n"
                    }
                connection.write(
                    "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(lines)\r\n")
                connection.write(hello)
            }
            let result = try world.run("ws://h/", messages: 1)
            #expect(result.messages.isEmpty != opens)
            guard !opens else { continue }
            #expect(result.cause?.kind == .badHandshake)
            #expect(world.connections[0].body.isEmpty)
        }
    }

    @Test("K05-07: only a 101 opens; the status of any other answer is there")
    func statuses() throws {
        for line in ["HTTP/1.1 101", "HTTP/1.1 101 Web Socket Protocol Handshake"] {
            let world = RawWorld()
            world.serve { [hello] connection in
                let fields = connection.switching.split(separator: "\r\n").dropFirst()
                connection.write(
                    ([Substring(line)] + fields).joined(separator: "\r\n") + "\r\n\r\n")
                connection.write(hello)
            }
            #expect(try world.run("ws://h/", messages: 1).messages.count == 1)
        }
        for status in [200, 204, 302, 426, 502] {
            let world = RawWorld()
            world.serve { connection in
                let rest = connection.switching.split(separator: "Protocols\r\n").last ?? ""
                connection.write("HTTP/1.1 \(status) x\r\nLocation: /y\r\n\(rest)<html>")
                connection.after(.milliseconds(1)) { connection.channel.finish() }
            }
            let result = try world.run("ws://h/")
            #expect(result.refusal?.status == status)
            #expect(result.journal.contains { $0.cause == .refused && $0.number == status })
            #expect(!result.journal.contains { $0.kind == .opened })
        }
    }

    @Test("K05-08: status, headers and the beginning of the body are there, however the body ends")
    func bodies() throws {
        let json = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\n"
        let spaces = String(repeating: " ", count: 100_000)
        let variants: [(head: String, pieces: [String], closes: Bool, body: String)] = [
            (
                json + "Transfer-Encoding: chunked\r\n\r\n",
                "5\r\n{\"e\":\r\n3\r\n42}\r\n0\r\n\r\n".map { String($0) }, false, "{\"e\":42}"
            ),
            (
                json + "Content-Length: 10485760\r\n\r\n", [spaces], false,
                String(spaces.prefix(4_096))
            ),
            (json + "\r\n", ["no ", "entry"], true, "no entry"),
        ]
        for variant in variants {
            let world = RawWorld()
            world.serve { connection in
                connection.write(variant.head)
                for piece in variant.pieces { connection.write(piece) }
                if variant.closes { connection.channel.finish() }
            }
            let result = try world.run("ws://h/")
            #expect(result.refusal?.status == 403)
            #expect(result.refusal?.headers["content-type"] == "application/json")
            #expect(result.refusal.map { String(decoding: $0.body, as: UTF8.self) } == variant.body)
            #expect(result.milliseconds == 0)
        }
    }

    @Test("K05-08: a body that never ends is the refusal that it began as, at the deadline")
    func endlessBody() throws {
        world.serve { connection in
            connection.write("HTTP/1.1 403 Forbidden\r\n\r\nwhy: ")
            func drip() {
                guard !connection.hasEnded else { return }
                connection.write("x")
                connection.after(.seconds(1), drip)
            }
            drip()
        }
        let result = try world.run("ws://h/")
        #expect(result.refusal?.status == 403)
        #expect(
            result.refusal.map { String(decoding: $0.body, as: UTF8.self) } == "why: xxxxxxxxxx")
        #expect(result.milliseconds == 10_000)
        #expect(result.journal.count { $0.kind == .closed } == 1)
        world.executor.runUntilIdle()
        #expect(world.connections[0].hasEnded)
    }

    @Test("K05-10: silence ends at the deadline, and the reason names the upgrade")
    func silence() throws {
        world.serve { _ in }
        let result = try world.run("ws://h/")
        #expect(result.cause == .connectTimeout(.upgrade))
        #expect(result.milliseconds == 10_000)
    }

    @Test(
        "RFC 9112 4: a server of another protocol ends the attempt as it speaks, not at the deadline"
    )
    func greetings() throws {
        for (greeting, words) in [
            ("SSH-2.0-OpenSSH_9.6\r\n", "SSH-2.0-OpenSSH_9.6"), ("220 mail ESMTP\r\n", "220 mail"),
            ("J\0\0\0\n8.0.36\0", #"J\x00\x00\x00\n8.0.36"#), ("\u{15}\u{3}\u{1}", "TLS"),
            ("\0\0\u{12}\u{4}\0", #""\x00\x00\x12"#),
        ] {
            // Ahead of our request, and after it.
            for delay in [0, 2_000] {
                let world = RawWorld()
                world.accept(port: 80) { connection in
                    connection.after(.milliseconds(delay)) { connection.write(greeting) }
                }
                let result = try world.run("ws://h/?token=secret")
                guard case .badHandshake(let violation)? = result.cause else {
                    Issue.record("\(String(describing: result.cause))")
                    return
                }
                #expect(result.milliseconds == delay)
                #expect(violation.seen.contains(words))
                #expect(!violation.description.contains("secret"))
            }
        }
    }

    @Test(
        "J1: a server that sends everything back is told from a WebSocket server at once, and tells nothing"
    )
    func echo() throws {
        world.accept(port: 80) { connection in
            connection.onBytes = { $0.write($0.received) }
        }
        let result = try world.run("ws://h/?token=secret")
        #expect(result.cause?.kind == .badHandshake)
        #expect(result.milliseconds == 0)
        #expect(result.cause?.description.contains("secret") == false)
    }

    @Test("K05-10: a byte every nine seconds does not move the deadline")
    func trickle() throws {
        world.serve { connection in
            let head = Array(connection.switching.utf8)
            func drip(_ index: Int) {
                guard index < head.count, !connection.hasEnded else { return }
                connection.write([head[index]])
                connection.after(.seconds(9)) { drip(index + 1) }
            }
            drip(0)
        }
        let result = try world.run("ws://h/")
        #expect(result.cause == .connectTimeout(.upgrade))
        #expect(result.milliseconds == 10_000)
    }

    @Test("K05-10: TCP without an answer to TLS ends at the deadline, and the reason names TLS")
    func silentTLS() throws {
        world.accept(port: 443) { _ in }
        let result = try world.run("wss://h/")
        #expect(result.cause == .connectTimeout(.tls))
        #expect(result.milliseconds == 10_000)
        #expect(world.connections[0].received.first == 0x16)
    }

    @Test("K05-10: disconnect() ends an attempt at once, in each phase")
    func cancel() throws {
        for url in ["ws://h:1/", "ws://h:2/", "wss://h:2/"] {
            let world = RawWorld()
            world.network.blackHole(port: 1)
            world.accept(port: 2) { _ in }
            let watched = try world.client(url)
            try world.executor.runScript {
                await watched.client.connect()
                _ = await watched.log.wait(.seconds(3)) { _ in false }
                await watched.client.disconnect()
            }
            #expect(world.milliseconds == 3_000)
            watched.stopWatching()
        }
    }

    @Test("K05-11: FIN, RST, FIN in the head and half-close each fail at once")
    func endings() throws {
        let endings: [(String, (RawConnection) -> Void)] = [
            ("fin", { $0.channel.finish() }),
            ("rst", { $0.channel.abort(reset: true) }),
            (
                "cut",
                {
                    $0.write("HTTP/1.1 10")
                    $0.channel.finish()
                }
            ),
            ("half-close", { $0.channel.finishWriting() }),
        ]
        for (name, ending) in endings {
            let world = RawWorld()
            world.serve(port: 80, ending)
            let result = try world.run("ws://h/")
            #expect(result.milliseconds == 0)
            if name == "rst" {
                #expect(result.failure?.kind == .reset)
            } else {
                #expect("\(result.cause as Any)".contains("closed during the handshake"), "\(name)")
            }
            world.executor.runUntilIdle()
            if name == "half-close" { #expect(world.connections[0].hasEnded) }
            #expect(world.executor.pendingTimers == 0)
        }
    }

    @Test("K05-13: an escaped CR LF stays escaped on the request line")
    func splitting() throws {
        world.serve { $0.channel.finish() }
        _ = try world.run("ws://h/a%0d%0aX:%20y")
        #expect(world.heads.first?.hasPrefix("GET /a%0d%0aX:%20y HTTP/1.1\r\n") == true)
        let network = world.network
        #expect(throws: OpeningRequestError.self) {
            try self.world.client("ws://h/") { $0.headers = ["A": "a\r\nX: y"] }
        }
        #expect(network.attempts == 1)
    }

    @Test("K05-16: Host leaves out the scheme's own port and names any other")
    func hosts() throws {
        for (url, port, host) in [
            ("ws://h:80/", 80, "h"), ("ws://h/", 80, "h"), ("ws://h:8080/", 8_080, "h:8080"),
        ] as [(String, UInt16, String)] {
            let world = RawWorld()
            world.serve(port: port) { $0.channel.finish() }
            _ = try world.run(url)
            #expect(world.connections.first?.field("Host") == host)
        }
    }

    @Test("K05-18: credentials in the URL are Basic, and stand in no journal, cause or description")
    func credentials() throws {
        world.serve { connection in
            connection.write("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
        }
        let url = "ws://user:p%40ss%3A1@127.0.0.1:80/x?token=canary"
        let result = try world.run(url)
        let connection = try #require(world.connections.first)
        #expect(connection.field("Authorization") == "Basic dXNlcjpwQHNzOjE=")
        #expect(connection.field("Host") == "127.0.0.1")
        var told = "\(try WebSocketURL(url)) \(result.stop as Any)"
        dump(result.stop, to: &told)
        for event in result.journal { told += event.jsonLine + "\(event)" }
        for secret in ["p@ss", "p%40ss", "dXNlcjpw", "canary"] {
            #expect(!told.contains(secret))
        }
    }

    @Test("K05-18: an explicit Authorization wins over the URL's")
    func explicitAuthorization() throws {
        world.serve { $0.channel.finish() }
        _ = try world.run("ws://user:pw@h/") { $0.headers = ["Authorization": "Bearer t"] }
        #expect(world.connections[0].field("Authorization") == "Bearer t")
        #expect(world.heads[0].components(of: "Authorization") == 1)
    }

    @Test("K05-20: both spellings of a name beyond ASCII give identical bytes")
    func internationalNames() throws {
        var heads: [String] = []
        for host in ["bücher.localhost.", "xn--bcher-kva.localhost"] {
            let world = RawWorld()
            world.serve(port: 9_000) { $0.channel.finish() }
            _ = try world.run("ws://\(host):9000/")
            heads += world.heads
        }
        #expect(heads.count == 2)
        #expect(heads.first == heads.last)
        #expect(heads.first?.contains("Host: xn--bcher-kva.localhost:9000") == true)
        let label = String(repeating: "a", count: 64)
        #expect(throws: WebSocketURLError.labelTooLong(byteCount: 64)) {
            try self.world.client("ws://\(label).test/")
        }
    }
}

extension String {
    /// How often `part` stands in this text.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
