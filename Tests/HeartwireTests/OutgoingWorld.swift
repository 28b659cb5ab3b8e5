import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

extension DeliveryWorld {
    /// What came back, in order.
    final class Returned: @unchecked Sendable {
        var all: [UnsentMessages] = []
        var texts: [[String]] { all.map { $0.messages.map(\.shown) } }
        var causes: [UnsentMessages.Cause] { all.map(\.cause) }
    }

    /// A client that is open, with what comes back from its queues.
    func openClient(
        _ outbox: OutboxConfiguration? = nil,
        _ configure: @Sendable (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> (WebSocketClient, Returned) {
        let client = try client(outbox, configure)
        try run { _ in
            await client.connect()
            try await client.waitUntilOpen()
        }
        return (client, Returned())
    }

    /// Does something to the newest transport, and lets happen what happens at once.
    func atLine(_ body: (Line) -> Void) {
        virtual.perform { if let line { body(line) } }
        settle()
    }

    /// Lets happen what happens at once, the transport's answers included.
    func settle() {
        virtual.advance(by: .zero)
    }
}

extension OutgoingConfiguration {
    static func route(
        _ route: Route, _ bounds: BufferBounds = BufferBounds(),
        _ returned: DeliveryWorld.Returned? = nil
    ) -> OutgoingConfiguration {
        var configuration = OutgoingConfiguration(route)
        configuration.bounds = bounds
        if let returned { configuration.unsent = { returned.all.append($0) } }
        return configuration
    }
}

extension Message {
    /// Texts as they are, bytes as numbers.
    var shown: String {
        switch self {
        case .text(let text): text
        case .binary(let bytes): "\(bytes)"
        }
    }
}
