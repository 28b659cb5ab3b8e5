import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// Redirects, from the client's own point of view (docs/decisions/0010).
@Suite struct RedirectTests {
    private let world = RawWorld()

    private func redirect(_ port: UInt16, to location: String, status: Int = 302) {
        world.serve(port: port) { connection in
            connection.write(
                "HTTP/1.1 \(status) x\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    /// Opens, says Hello, and closes.
    private func greet(_ port: UInt16) {
        world.serve(port: port) { connection in
            connection.write(Array(connection.switching.utf8) + [0x81, 2, 0x48, 0x69, 0x88, 0])
        }
    }

    private func run(_ url: String, headers: HeaderFields = [:]) throws -> RawWorld.Result {
        try world.run(url) { configuration in
            configuration.redirects = .follow
            configuration.headers = headers
        }
    }

    @Test("P6: unless asked for, a redirect is a refusal and nobody else is connected to")
    func refused() throws {
        redirect(80, to: "ws://h:81/")
        greet(81)
        let result = try world.run("ws://h/")
        #expect(result.refusal?.status == 302)
        #expect(result.refusal?.redirectFault == nil)
        #expect(world.network.attempts == 1)
    }

    @Test("P6: where asked for, a redirect is followed", arguments: [301, 302, 303, 307, 308])
    func followed(_ status: Int) throws {
        redirect(80, to: "http://h:81/there?x", status: status)
        greet(81)
        let result = try run("ws://user:pw@h/", headers: ["Cookie": "a=b"])
        #expect(result.messages == [.text("Hi")])
        #expect(world.heads.last?.hasPrefix("GET /there?x HTTP/1.1\r\n") == true)
        let first = world.connections[0]
        #expect(first.field("Cookie") == "a=b")
        #expect(first.hasEnded)
        let last = world.connections[1]
        #expect(last.field("Cookie") == nil)
        #expect(last.field("Authorization") == nil)
        #expect(last.field("Sec-WebSocket-Key") != first.field("Sec-WebSocket-Key"))
    }

    @Test("G4: an attempt that was redirected is one generation with one opening and one cause")
    func oneGeneration() throws {
        redirect(80, to: "ws://h:81/")
        redirect(81, to: "ws://h:82/")
        greet(82)
        let result = try run("ws://h/")
        #expect(Set(result.journal.map(\.generation)).subtracting([.none]).count == 1)
        #expect(result.journal.count { $0.kind == .opened } == 1)
        #expect(result.journal.count { $0.kind == .closed } == 1)
        #expect(!result.journal.contains { $0.kind == .stale })
    }

    @Test("P6: a redirect whose body never ends is followed at once")
    func endlessBody() throws {
        world.serve { connection in
            connection.write("HTTP/1.1 307 x\r\nLocation: ws://h:81/\r\n\r\nwait")
        }
        greet(81)
        let result = try run("ws://h/")
        #expect(result.messages == [.text("Hi")])
        #expect(result.milliseconds == 0)
    }

    @Test("P6: never from wss to ws, never in a circle, never more than five")
    func faults() throws {
        redirect(80, to: "/")
        #expect(try run("ws://h/").refusal?.redirectFault == .loop)
        for port in UInt16(90)...96 { redirect(port, to: "ws://h:\(port + 1)/") }
        let many = try run("ws://h:90/")
        #expect(many.refusal?.redirectFault == .tooMany)
        #expect("\(many.cause as Any)".contains("too many"))
        #expect(world.network.attempts == 1 + 6)
        redirect(70, to: "gopher://h/")
        #expect(try run("ws://h:70/").refusal?.redirectFault == .badLocation)
    }

    @Test("K05-10: redirects do not move the attempt's deadline")
    func deadline() throws {
        world.serve { connection in
            connection.after(.seconds(6)) {
                connection.write("HTTP/1.1 302 x\r\nLocation: ws://h:81/\r\n\r\n")
            }
        }
        world.accept(port: 81) { _ in }
        let result = try run("ws://h/")
        #expect(result.cause == .connectTimeout(.upgrade))
        #expect(result.milliseconds == 10_000)
    }

    @Test("P6: where a redirect leads nobody may listen; that is then the cause")
    func deadEnd() throws {
        redirect(80, to: "ws://h:81/")
        let result = try run("ws://h/")
        #expect(result.failure?.kind == .refused)
    }

    @Test("R5: disconnect() after a redirect leaves nothing behind")
    func disconnect() throws {
        redirect(80, to: "ws://h:81/")
        world.accept(port: 81) { _ in }
        let watched = try world.client("ws://h/") { $0.redirects = .follow }
        try world.executor.runScript {
            await watched.client.connect()
            _ = await watched.log.wait(.seconds(1)) { _ in false }
            await watched.client.disconnect()
        }
        world.executor.runUntilIdle()
        #expect(world.connections.count == 2)
        #expect(world.connections.allSatisfy(\.hasEnded))
        #expect(world.executor.pendingTimers == 0)
        watched.stopWatching()
    }
}
