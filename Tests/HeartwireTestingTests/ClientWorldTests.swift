import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// One echo, a close, and what was left.
private func echo(in world: ClientWorld) async throws -> (messages: [Message], left: String?) {
    let watched = try world.makeClient("echo=on") { $0.reconnect = nil }
    await watched.client.connect()
    try await watched.client.waitUntilOpen()
    try await watched.client.send(.text("there and back"))
    _ = await watched.log.wait(.seconds(5)) { !$0.messages.isEmpty }
    await watched.client.disconnect()
    let left = await world.windUp()
    return (watched.log.messages, left)
}

@Suite("ClientWorld")
struct ClientWorldTests {
    @Test("the same script runs in virtual time")
    func virtual() async throws {
        let seen = try await ClientWorld(.virtual).run { try await echo(in: $0) }
        #expect(seen.messages == [.text("there and back")] && seen.left == nil)
    }

    @Test("and over real sockets (real time)")
    func loopback() async throws {
        let seen = try await ClientWorld(.loopback).run { try await echo(in: $0) }
        #expect(seen.messages == [.text("there and back")] && seen.left == nil)
    }

    @Test("and with a server elsewhere (real time)")
    func remote() async throws {
        let seen = try await ClientWorld(.loopback).run { server in
            let url = try server.url("hello=1x1")
            let world = try ClientWorld(.remote(url))
            #expect(world.endpoint == nil)
            #expect(try world.url() == url)
            #expect(try world.url("echo=on").requestTarget == "/?echo=on")
            let seen = try await world.run { try await echo(in: $0) }
            #expect(await server.windUp() == nil)
            return seen
        }
        #expect(seen.messages == [.text("there and back")] && seen.left == nil)
    }

    @Test("two worlds in virtual time give the same journal")
    func deterministic() async throws {
        func journal() async throws -> [String] {
            try await ClientWorld(.virtual).run { world in
                let watched = try world.makeClient("close=1001@7") { configuration in
                    configuration.reconnect = ReconnectPolicy()
                }
                await watched.client.connect()
                _ = await watched.log.wait(.seconds(60)) { $0.closes.count == 5 }
                _ = await world.windUp()
                return watched.log.journal.map(\.jsonLine)
            }
        }
        let first = try await journal()
        #expect(first.count > 30)
        #expect(try await journal() == first)
    }

    @Test("nobody listens at the refused URL, in either kind of time")
    func refused() async throws {
        for place in [ClientWorld.Place.virtual, .loopback] {
            let causes = try await ClientWorld(place).run { world in
                let watched = try world.makeClient(url: try world.refusedURL()) {
                    $0.reconnect = nil
                }
                await watched.client.connect()
                _ = await watched.log.wait(.seconds(5)) { !$0.closes.isEmpty }
                _ = await world.windUp()
                return watched.log.closes.map(\.cause)
            }
            #expect(causes == [.connectFailed])
        }
    }

    @Test("what a script leaves behind is told; sleeping takes the world's time")
    func leftovers() async throws {
        let world = try ClientWorld(.virtual)
        let left = try await world.run { world in
            await world.sleep(for: .seconds(5))
            #expect(world.elapsed == .seconds(5))
            _ = world.executor.schedule(at: .distantFuture) {}
            return await world.windUp()
        }
        #expect(left == "1 timers and 0 sockets were left")
        #expect(world.elapsed >= .seconds(5) + ClientWorld.windUpLimit)
    }

    @Test("a world that is wound up drops what its clients did not close")
    func windUp() async throws {
        let counters = try await ClientWorld(.virtual).run { world in
            for query in ["", "refuse=silence", "freeze@0", "refuse=503"] {
                let watched = try world.makeClient(query)
                await watched.client.connect()
            }
            await world.sleep(for: .milliseconds(1))
            #expect(await world.windUp() == nil)
            for watched in world.clients { #expect(watched.faults == []) }
            return world.endpoint?.counters
        }
        #expect(counters?.accepted == 4 && counters?.living == 0)
    }

    @Test("what a script throws comes out")
    func throwing() async throws {
        struct Thrown: Error {}
        for place in [ClientWorld.Place.virtual, .loopback] {
            let world = try ClientWorld(place)
            await #expect(throws: Thrown.self) { try await world.run { _ in throw Thrown() } }
        }
    }

    @Test("a URL is had without its query and its user")
    func withoutQuery() throws {
        let url = try WebSocketURL("wss://u:p@h.test:8443/a/b?c=d")
        #expect(
            try ClientWorld.withoutQuery(url) == WebSocketURL("wss://h.test:8443/a/b"))
        let short = try WebSocketURL("ws://[::1]?x")
        #expect(try ClientWorld.withoutQuery(short) == WebSocketURL("ws://[::1]/"))
    }
}
