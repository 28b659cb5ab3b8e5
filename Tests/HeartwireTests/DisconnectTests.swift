import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

/// disconnect() in every phase (promise R5).
@Suite("The client: disconnecting")
struct DisconnectTests {
    private let world = World()

    @Test("R5: disconnect() before any connect() stops, and says that there was no connection")
    func disconnectIdle() throws {
        let client = try world.client()
        try world.run { await client.disconnect() }
        #expect(try world.state(client) == .stopped(.disconnected(nil)))
        try world.checkNothingLeft(client)
    }

    @Test("R5: disconnect() twice, and again when stopped, changes nothing more")
    func disconnectTwice() throws {
        let client = try world.openClient()
        try world.run {
            async let first: Void = client.disconnect()
            async let second: Void = client.disconnect()
            _ = await (first, second)
            await client.disconnect()
        }
        #expect(world.states == [.connecting, .open, .closing, .stopped])
        #expect(world.endpointKinds.count { $0 == .closeReceived(1000) } == 1)
        try world.checkNothingLeft(client)
    }

    @Test("R5: disconnect() while the provider is asked leaves no timer and no connection")
    func disconnectInProvider() throws {
        let world = world
        let client = try world.client {
            $0.request = { _ in
                try await world.sleep(.seconds(1))
                return try world.request()
            }
        }
        try world.run {
            await client.connect()
            try await world.sleep(.milliseconds(500))
            await client.disconnect()
        }
        #expect(world.milliseconds == 500)
        #expect(world.network.attempts == 0)
        #expect(world.causes == [.closedByApp])
        try world.checkNothingLeft(client)
    }

    @Test(
        "R5, K11-08: disconnect() while TCP, or the answer to the handshake, is pending ends at once",
        arguments: [
            ("/", World.blackHolePort), ("/?refuse=silence", World.port),
            ("/?delay=5000", World.port),
        ])
    func disconnectWhileConnecting(_ target: String, _ port: UInt16) throws {
        let client = try world.client(target, port: port)
        let world = world
        try world.run {
            await client.connect()
            try await world.sleep(.milliseconds(100))
            await client.disconnect()
        }
        #expect(world.milliseconds == 100)
        #expect(world.states == [.connecting, .stopped])
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: nil, answer: nil))))
        try world.checkNothingLeft(client)
    }

    @Test(
        "R5, K10-01: disconnect() from a server that does not answer returns at the close timeout")
    func disconnectUnanswered() throws {
        let client = try world.openClient("/?freeze@0") { $0.closeTimeout = .seconds(2) }
        try world.run { await client.disconnect() }
        #expect(world.milliseconds == 2_000)
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: 1000, answer: nil))))
        try world.checkNothingLeft(client)
    }

    @Test("R5, K03-04: disconnect() during the wait, also at its very end, cancels the attempt")
    func disconnectWhileWaiting() throws {
        for moment in [500, 1_000] {
            let world = World()
            let client = try world.client(port: World.closedPort)
            try world.run {
                // The sleep was scheduled ahead of the attempt, so at 1 s the disconnect is first.
                async let slept: Void = world.sleep(.milliseconds(moment))
                await Task.yield()
                await client.connect()
                try await slept
                await client.disconnect()
            }
            #expect(world.network.attempts == 1)
            #expect(world.states == [.connecting, .waiting, .stopped])
            try world.checkNothingLeft(client)
        }
    }

    @Test("R5: disconnect(code:reason:) sends both, and tells what the server answered")
    func disconnectWithReason() throws {
        let client = try world.openClient()
        try world.run { try await client.disconnect(code: 4_001, reason: "bye") }
        #expect(world.endpointKinds.contains(.closeReceived(4_001)))
        // RFC 6455 §5.5.1: an answer echoes the code.
        let answer = PeerClose(code: 4_001)
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: 4_001, answer: answer))))
        try world.checkNothingLeft(client)
    }

    @Test("K10-05: a code or reason that may not be sent throws, and the connection stands")
    func unlawfulClose() throws {
        let client = try world.openClient()
        try world.run {
            for code: CloseCode in [1005, 1006, 999, 5_000] {
                await #expect(throws: SendError.reservedCloseCode(code)) {
                    try await client.disconnect(code: code)
                }
            }
            await #expect(throws: SendError.reasonTooLong(124)) {
                try await client.disconnect(
                    code: 4_000, reason: String(repeating: "x", count: 124))
            }
            #expect(await client.state == .open(Generation(1)))
        }
    }

    @Test("K10-02: closes that cross on the wire give one close, with both codes")
    func crossingCloses() throws {
        let world = World(latency: .milliseconds(10))
        let client = try world.openClient()
        try world.run {
            world.endpoint.connections.last?.close(4_001, reason: "bye")
            try await client.disconnect(code: 4_000, reason: "bye")
        }
        let answer = PeerClose(code: 4_001, reason: "bye")
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: 4_000, answer: answer))))
        try world.checkNothingLeft(client)
        #expect(world.endpointKinds.count { $0 == .closeReceived(4_000) } == 1)
    }

    @Test(
        "K10-11: what breaks while the app's close is under way is told as a symptom, and is no cause",
        arguments: [false, true])
    func brokenWhileClosing(isGarbage: Bool) throws {
        let world = World(latency: .milliseconds(10))
        let client = try world.openClient()
        try world.run {
            if isGarbage {
                // A text message that is not UTF-8 crosses our Close.
                world.endpoint.connections.last?.send(raw: [0x81, 1, 0xFF])
            } else {
                world.endpoint.connections.last?.drop(.rst)
            }
            await client.disconnect()
        }
        #expect(
            try world.state(client)
                == .stopped(.disconnected(.closedByApp(sent: 1000, answer: nil))))
        let symptoms = world.journal.filter { $0.kind == .symptom }
        #expect(symptoms.map(\.cause) == [isGarbage ? .protocolViolation : .connectionLost])
        #expect(symptoms.map(\.number) == [isGarbage ? 1007 : 104])
        #expect(world.causes == [.closedByApp])
        try world.checkNothingLeft(client)
    }
}
