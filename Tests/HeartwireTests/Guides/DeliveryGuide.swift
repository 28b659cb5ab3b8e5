import Heartwire
import HeartwireTesting
import Testing

// The examples of the guide to guaranteed delivery.
@Suite("The guide to delivery")
struct DeliveryGuide {
    /// A client of the guide that never finds a server.
    private func order(_ path: String) async throws {
        // Guide: begin
        let client = try WebSocketClient("ws://server.example/orders") {
            $0.outbox = .sqlite(at: path)
        }
        await client.connect()

        let receipt = try await client.deliver(.text("order 7"))  // stored when this returns
        try await receipt.confirmed()  // read by the peer
        // Guide: end
    }

    @Test("Its acknowledgement reads the id that its envelope has written")
    func acknowledgement() throws {
        // Guide: begin
        let client = try WebSocketClient("ws://server.example/orders") {
            var outbox = OutboxConfiguration.memory
            outbox.envelope = { entry in
                guard case .text(let order) = entry.message else { return entry.message }
                return .text("\(entry.id.number) \(order)")
            }
            outbox.confirmation = .acknowledgement { message in
                guard case .text(let text) = message, text.hasPrefix("ack "),
                    let number = UInt64(text.dropFirst(4))
                else { return [] }
                return [DeliveryID(number)]
            }
            $0.outbox = outbox
        }
        // Guide: end
        _ = client
    }

    @Test("Its end says what was left")
    func shutdown() async throws {
        let world = try ClientWorld(.virtual)
        try await world.run { world in
            let client = try world.makeClient("pong=off") {
                $0.outbox = .memory
                $0.heartbeat = nil
            }.client
            await client.connect()
            try await client.waitUntilOpen()
            _ = try await client.deliver(.text("never confirmed"))
            // Guide: begin
            let report = await client.shutdown(grace: .seconds(5))
            if !report.left.isEmpty { print("\(report.left.count) messages are left") }
            // Guide: end
            #expect(report.left.count == 1)
            #expect(await world.windUp() == nil)
        }
    }
}
