import Foundation
import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The journal")
struct JournalEventTests {
    private struct Line: Decodable, Equatable {
        var time: Int64
        var generation: UInt64
        var kind: String
        var oldState: String
        var newState: String
        var cause: String?
        var number: Int?
        var phase: String?

        enum CodingKeys: String, CodingKey {
            case time = "t_ns"
            case oldState = "old_state"
            case newState = "new_state"
            case generation, kind, cause, number, phase
        }
    }

    private func decoded(_ event: JournalEvent) throws -> Line {
        #expect(!event.jsonLine.contains("\n"))
        return try JSONDecoder().decode(Line.self, from: Data(event.jsonLine.utf8))
    }

    @Test("J2: a line is JSON with every field that there is, and without those that are absent")
    func lines() throws {
        var event = JournalEvent(
            time: MonotonicInstant(nanoseconds: 1_500), generation: Generation(7), kind: .closed,
            oldState: .open, newState: .waiting, cause: .closedByPeer, number: 1_001,
            phase: .upgrade)
        #expect(
            event.jsonLine
                == #"{"t_ns":1500,"generation":7,"kind":"closed","old_state":"open","#
                + #""new_state":"waiting","cause":"closed-by-peer","number":1001,"#
                + #""phase":"upgrade"}"#)
        event.cause = nil
        event.number = nil
        event.phase = nil
        #expect(
            event.jsonLine
                == #"{"t_ns":1500,"generation":7,"kind":"closed","old_state":"open","#
                + #""new_state":"waiting"}"#)
    }

    @Test("J2: every kind, state, cause and phase survives the way through a JSON parser")
    func roundTrips() throws {
        for kind in JournalEvent.Kind.allCases {
            for state in JournalEvent.State.allCases {
                let event = JournalEvent(
                    time: MonotonicInstant(nanoseconds: Int64.max),
                    generation: Generation(UInt64.max), kind: kind, oldState: state,
                    newState: state)
                let line = try decoded(event)
                #expect(JournalEvent.Kind(rawValue: line.kind) == kind)
                #expect(JournalEvent.State(rawValue: line.newState) == state)
                #expect(line.generation == UInt64.max)
            }
        }
        for cause in CloseCause.Kind.allCases {
            for phase in ConnectPhase.allCases {
                let event = JournalEvent(
                    time: .origin, generation: .none, kind: .closed, oldState: .idle,
                    newState: .idle, cause: cause, number: -1, phase: phase)
                let line = try decoded(event)
                #expect(line.cause == cause.rawValue)
                #expect(line.phase == phase.rawValue)
                #expect(line.number == -1)
            }
        }
    }

    @Test("J1: each state of a session has the name that the journal uses")
    func names() {
        let generation = Generation(1)
        let pairs: [(SessionState, JournalEvent.State)] = [
            (.idle, .idle), (.connecting(generation, attempt: 0), .connecting),
            (.open(generation), .open), (.closing(generation), .closing),
            (.waiting(attempt: 1, delay: .zero, cause: .heartbeatTimeout), .waiting),
            (.suspended(cause: nil), .suspended), (.stopped(.disconnected(nil)), .stopped),
        ]
        for (state, name) in pairs { #expect(JournalEvent.State(state) == name) }
        #expect(Set(pairs.map(\.1)).count == JournalEvent.State.allCases.count)
    }

    @Test("J1: one connection's whole life, entry by entry, with generation and virtual time")
    func life() throws {
        let world = World()
        let client = try world.openClient("/") {
            $0.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        }
        try world.run {
            try await world.sleep(.milliseconds(1_500))
            world.endpoint.connections.last.map { try? $0.ping([1]) }
            try await world.sleep(.milliseconds(1))
            await client.disconnect()
        }
        #expect(
            world.journal.map(\.kind) == [
                .connectRequested, .stateChanged, .requestAsked, .requestProvided, .progressed,
                .opened, .stateChanged, .pingSent, .pongReceived, .pingReceived,
                .disconnectRequested, .closeSent, .stateChanged, .closed, .stateChanged,
            ])
        let opened = try #require(world.journal.first { $0.kind == .stateChanged })
        #expect(opened.oldState == .idle)
        #expect(opened.newState == .connecting)
        let ping = try #require(world.journal.first { $0.kind == .pingSent })
        #expect(ping.time.nanoseconds == 1_000_000_000)
        #expect(ping.generation == Generation(1))
        #expect(ping.oldState == .open)
        #expect(ping.newState == .open)
        let close = try #require(world.journal.first { $0.kind == .closed })
        #expect(close.cause == .closedByApp)
        #expect(close.number == 1_000)
        let sent = try #require(world.journal.first { $0.kind == .closeSent })
        #expect(sent.number == 1_000)
        try world.checkNothingLeft(client)
    }
}

/// The canary: secrets are planted wherever an app or a server can put any, and must not come out.
@Suite("The journal holds no secrets")
struct JournalCanaryTests {
    private static let canary = "c4n4ry"

    private struct ProviderFailure: Error, CustomStringConvertible {
        var description: String { "provider \(JournalCanaryTests.canary)" }
    }

    private func run(
        _ target: String, _ world: World,
        configure: (inout ClientConfiguration) throws -> Void = { _ in }
    ) throws {
        let canary = Self.canary
        let url = "ws://user\(canary):pass\(canary)@endpoint.test:\(World.port)\(target)"
        var settings = ClientConfiguration()
        let lines = Box<[JournalEvent]>([])
        settings.transport = world.transports
        settings.heartbeat = .every(.seconds(1), timeout: .seconds(1))
        settings.reconnect = ReconnectPolicy(backoff: try Backoff(jitter: .none, attempts: 1))
        settings.headers = ["Authorization": "Bearer \(canary)", "X-\(canary)": canary]
        settings.subprotocols = ["p\(canary)"]
        settings.journal = { lines.value.append($0) }
        try configure(&settings)
        let ready = settings
        let client = try WebSocketClient(url) { $0 = ready }
        try world.run {
            let consumer = Task(executorPreference: world.executor) {
                for await _ in client.messages {}
            }
            await client.connect()
            _ = try? await client.waitUntilOpen()
            try? await client.send(.text(canary))
            try? await client.send(.binary(Array(canary.utf8)))
            try await world.sleep(.seconds(5))
            try await client.disconnect(code: 4_001, reason: canary)
            await consumer.value
        }
        #expect(lines.value.contains { $0.kind == .closed })
        for event in lines.value {
            #expect(!event.jsonLine.contains(canary))
            // The line is all that there is: no field holds a string that it does not show.
            #expect(!"\(event)".contains(canary))
            let object = try JSONSerialization.jsonObject(with: Data(event.jsonLine.utf8))
            #expect(object is [String: Any])
        }
        executorIsQuiet(world)
    }

    private func executorIsQuiet(_ world: World) {
        world.executor.advance(by: .seconds(60))
        #expect(world.executor.pendingTimers == 0)
    }

    @Test(
        "J1: nothing leaks from a URL, headers, payloads and close reasons of a run that succeeds")
    func success() throws {
        try run("/?token=\(Self.canary)", World(.always(EndpointBehaviour())))
    }

    @Test("J1: nothing leaks from the server's close reason")
    func closedByPeer() throws {
        var behaviour = EndpointBehaviour()
        behaviour.close = .init(code: 4_002, reason: Self.canary)
        try run("/?token=\(Self.canary)", World(.always(behaviour)))
    }

    @Test("J1: nothing leaks from a refusal: its status line, headers and body")
    func refusal() throws {
        let world = World()
        world.network.listen(port: World.port) { channel in
            Scribe.answer(
                channel,
                "HTTP/1.1 403 \(Self.canary)\r\nX-Token: \(Self.canary)\r\n"
                    + "Content-Length: 6\r\n\r\n\(Self.canary)")
        }
        try run("/?token=\(Self.canary)", world)
    }

    @Test("J1: nothing leaks from a bad handshake or from bytes that break the protocol")
    func violations() throws {
        let world = World()
        world.network.listen(port: World.port) { channel in
            Scribe.answer(channel, "HTTP/1.1 101 \(Self.canary)\r\nUpgrade: \(Self.canary)\r\n\r\n")
        }
        try run("/?token=\(Self.canary)", world)
        let raw = World(.always(EndpointBehaviour()))
        raw.network.listen(port: World.port) { channel in
            raw.endpoint.accept(channel)
            guard let connection = raw.endpoint.connections.last else { return }
            _ = raw.executor.schedule(at: raw.executor.now().advanced(by: .seconds(1))) {
                connection.send(raw: [0xF1, 0x06] + Array(Self.canary.utf8))
            }
        }
        try run("/?token=\(Self.canary)", raw)
    }

    @Test("J1: nothing leaks from what the request provider throws")
    func provider() throws {
        try run("/", World()) { $0.request = { _ in throw ProviderFailure() } }
    }
}

/// A server that answers whatever comes first with fixed bytes, and then finishes.
final class Scribe: ByteChannelHandler {
    private let bytes: [UInt8]
    private let channel: VirtualChannel

    private init(_ channel: VirtualChannel, _ bytes: [UInt8]) {
        self.channel = channel
        self.bytes = bytes
    }

    static func answer(_ channel: VirtualChannel, _ text: String) {
        channel.handler = Scribe(channel, Array(text.utf8))
    }

    func channelConnected() {}
    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        _ = self.bytes.withUnsafeBytes { channel.write($0) }
        channel.finish()
    }
    func channelReceivedEOF() { channel.finish() }
    func channelBecameWritable() {}
    func channelFailed(_ failure: ConnectionFailure) {}
}
