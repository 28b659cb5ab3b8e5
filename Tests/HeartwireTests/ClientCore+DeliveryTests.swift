import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import Heartwire

@Suite("The core: guaranteed delivery")
struct ClientCoreDeliveryTests {
    private let world = DeliveryWorld()
    private let store = ScriptedStore.holdingThree()

    /// Sends a message and writes down how that went.
    private func send(_ text: String, _ client: WebSocketClient) -> Box<[SendError?]> {
        let outcome = Box<[SendError?]>([])
        Task(executorPreference: world.executor.taskExecutor) {
            do throws(SendError) {
                try await client.send(.text(text))
                outcome.value.append(nil)
            } catch { outcome.value.append(error) }
        }
        return outcome
    }

    @Test(
        "G2, D5: what is stored has the transport of its own connection alone, while that is open")
    func openTransport() throws {
        let client = try world.client()
        let core = client.core
        try world.run { world in
            #expect(core.openTransport(Generation(1)) == nil)
            for number in 1...2 as ClosedRange<UInt64> {
                await client.connect()
                try await client.waitUntilOpen()
                for other in [nil, Generation.none, Generation(number - 1), Generation(number + 1)]
                {
                    #expect(core.openTransport(other) == nil)
                }
                #expect(core.openTransport(Generation(number)) === world.line)
                core.disconnect(code: nil, reason: "")
                #expect(core.transport === world.line, "its closing handshake is under way")
                #expect(core.openTransport(Generation(number)) == nil)
                await world.pause()
                #expect(core.openTransport(Generation(number)) == nil)
            }
        }
    }

    @Test("K04-02: room that goes to what is stored wakes nobody who waits to send")
    func roomTaken() throws {
        let client = try world.client()
        world.room = 1
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let outcome = send("a", client)
            await world.pause()
            for text in ["b", "c"] { _ = try await client.deliver(.text(text)) }
            #expect(world.texts == ["a", "b"])
            world.line?.drain()
            await world.pause()
            #expect(world.texts == ["a", "b", "c"])
            #expect(outcome.value == [], "the room is gone already")
            world.line?.drain()
            await world.pause()
            #expect(outcome.value == [nil])
        }
    }

    @Test("K04-02: a send waits on where what was read has filled the transport")
    func readAndFull() throws {
        let client = try world.client(.windowed(store, 10))
        world.room = 3
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let outcome = send("new", client)
            await world.pause()
            store.answerRead(1, 3)
            await world.pause()
            #expect(world.texts == ["1?x", "2?x", "3?x"])
            #expect(outcome.value == [])
            world.line?.drain()
            await world.pause()
            #expect(world.texts == ["1?x", "2?x", "3?x", "new"])
            #expect(outcome.value == [nil])
        }
    }

    @Test("K04-02: what is read while the app is closing wakes no sender, who hears of the end")
    func readWhileClosing() throws {
        let client = try world.client(.windowed(store, 10))
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            let outcome = send("new", client)
            await world.pause()
            store.answerRead(1, 3)
            client.core.disconnect(code: nil, reason: "")
            await world.pause()
            #expect(outcome.value == [.connectionEnded])
            #expect(world.sent == [])
        }
    }

    @Test("K04-02: a read that is tried again wakes nobody who waits for room")
    func readAgain() throws {
        store.contents = OutboxContents()
        let client = try world.client(.windowed(store, 1))
        world.room = 1
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            for text in ["a", "x"] {
                Task(executorPreference: world.executor.taskExecutor) {
                    _ = try? await client.deliver(.text(text))
                }
            }
            await world.pause()
            let outcome = send("new", client)
            await world.pause()
            #expect(world.texts == ["new"])
            store.answer(.failed([DeliveryID(1)], OutboxStoreError(.full)))
            store.answer(.stored([DeliveryID(2)]))
            await world.pause()
            let range = DeliveryID(2)...DeliveryID(2)
            store.answer(.unread(range, OutboxStoreError(.system)))
            await world.pause(1_000)
            #expect(store.reads == [range, range])
            #expect(outcome.value == [])
            world.line?.drain()
            await world.pause()
            #expect(outcome.value == [nil])
            #expect(world.texts == ["new"])
        }
    }

    @Test("K01-02, G1: an old connection's word of room sends nothing stored and wakes no sender")
    func oldRoom() throws {
        let client = try world.client()
        world.room = 1
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.lose()
            await world.pause()
            try await client.waitUntilOpen()
            let outcome = send("a", client)
            await world.pause()
            for text in ["b", "c"] { _ = try await client.deliver(.text(text)) }
            client.core.transportBecameWritable(Generation(1))
            await world.pause()
            #expect(world.texts == ["a", "b"])
            #expect(outcome.value == [])
            client.core.transportBecameWritable(Generation(2))
            await world.pause()
            #expect(world.texts == ["a", "b", "c"])
        }
    }

    @Test("K01-02, G1: an old connection's word of room wakes no sender where nothing is stored")
    func oldRoomAlone() throws {
        let client = try world.client(nil)
        world.room = 1
        try world.run { world in
            await client.connect()
            try await client.waitUntilOpen()
            world.line?.lose()
            await world.pause()
            try await client.waitUntilOpen()
            let outcome = send("a", client)
            await world.pause()
            client.core.transportBecameWritable(Generation(1))
            await world.pause()
            #expect(outcome.value == [])
            client.core.transportBecameWritable(Generation(2))
            await world.pause()
            #expect(outcome.value == [nil])
        }
    }
}
