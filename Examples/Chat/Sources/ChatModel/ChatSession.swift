public import Heartwire
public import Observation

/// One person's chat: the client, and the room that it hears of. The command line and the app stand on it.
///
/// - What is said goes by ``WebSocketClient/deliver(_:sessionBound:)``: it waits in the outbox until somebody has it, over as many
///   connections as that takes. A line counts as arrived when another person says so, not when the server has it.
/// - Answers and greetings go by plain `send`. One that is lost costs nothing: whoever loses a connection greets
///   on the next one, and everybody repeats what was missed.
@MainActor
@Observable
public final class ChatSession {
    /// The room as it looks now.
    public private(set) var room: ChatRoom
    /// Where the session stands.
    public private(set) var state = SessionState.idle
    /// The client, for whoever follows the app's life with it.
    @ObservationIgnored public let client: WebSocketClient
    @ObservationIgnored private let tell: @MainActor (ChatNews) -> Void

    /// The longest line, in bytes of UTF-8.
    public static let lineBytes = 4_096

    /// Makes a chat that does nothing until ``run()``.
    ///
    /// - Parameters:
    ///   - url: The server: one that passes each message on to everybody, the sender included.
    ///   - name: What to be called.
    ///   - tell: Hears what is new.
    /// - Throws: what `WebSocketClient` throws for a URL that cannot be used.
    public init(
        _ url: String, as name: String, tell: @escaping @MainActor (ChatNews) -> Void = { _ in }
    ) throws {
        let me = ChatPerson(named: name)
        room = ChatRoom(me: me)
        self.tell = tell
        var configuration = ClientConfiguration()
        configuration.reconnect = ReconnectPolicy(
            backoff: try Backoff(base: .milliseconds(250), cap: .seconds(10), attempts: nil))
        configuration.limits.messageBytes = 65_536
        configuration.outbox = Self.outbox(of: me)
        client = try WebSocketClient(try WebSocketURL(url), configuration: configuration)
    }

    /// What is stored is the text; each time that it goes out it gets its number. It has arrived when somebody else
    /// says so.
    private nonisolated static func outbox(of me: ChatPerson) -> OutboxConfiguration {
        var outbox = OutboxConfiguration.memory
        outbox.bounds.overflow = .suspend
        outbox.envelope = { entry in
            guard case .text(let text) = entry.message else { return entry.message }
            return ChatPacket.said(ChatLine(author: me, number: entry.id.number, text: text))
                .message
        }
        outbox.confirmation = .acknowledgement { message in
            guard case .heard(let line, let person) = try? ChatPacket(message),
                line.author == me, person != me
            else { return [] }
            return [DeliveryID(line.number)]
        }
        return outbox
    }

    /// Connects, and keeps the room up to date until the session stops or the task is cancelled, which leaves the
    /// connection as it is.
    public func run() async {
        let following = Task { await followStates() }
        var packets = client.messages.decoded(undecodable: .skip) { try ChatPacket($0) }
            .makeAsyncIterator()
        await client.connect()
        // Where what cannot be read is passed over, nothing is thrown.
        while let packet = try? await packets.next(isolation: #isolation) {
            let outcome = room.hear(packet)
            if let news = outcome.news { tell(news) }
            await send(outcome.answers)
        }
        if Task.isCancelled { following.cancel() }
        await following.value
    }

    /// Says a line. It is safe when this returns: it goes out now or on a later connection.
    ///
    /// - Throws: `DeliveryError` when the line was not taken in.
    public func say(_ text: String) async throws(DeliveryError) {
        let receipt = try await client.deliver(.text(text))
        let number = receipt.id.number
        room.say(ChatLine(author: room.me, number: number, text: text))
        Task {
            for await state in receipt.states {
                if let news = room.mark(number, ChatMark(state)) { tell(news) }
            }
        }
    }

    /// Leaves, once others have heard what was said, or after `grace`.
    ///
    /// - Returns: how many lines nobody has heard.
    public func end(grace: Duration = .seconds(5)) async -> Int {
        await send([room.go()])
        return await client.shutdown(grace: grace).left.count
    }

    private func followStates() async {
        for await state in client.states {
            self.state = state
            if state != .idle { tell(.state(state)) }
            if case .open = state { await send([room.greeting]) }
            if case .stopped = state { return }
        }
    }

    /// Sends what the next connection makes up for where this one is lost.
    private func send(_ packets: [ChatPacket]) async {
        for packet in packets {
            try? await client.send(packet.message)
        }
    }
}
