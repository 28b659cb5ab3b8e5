import HeartwireProtocol
import HeartwireSession

// Opening, messages, and the room for them.
extension ConformanceRun {
    func opening() async throws {
        let connection = try connection()
        connection.call { transport in
            transport.open()
            transport.open()
        }
        try await connection.open()
        try await connection.demandQuiet("the opening")
        try connection.demand(connection.observer.reports == [.opened], "expected one opening")
        try await connection.demandAlive()
    }

    func subprotocol() async throws {
        let connection = try connection(subprotocols: ["first", "second"])
        try await connection.open()
        try connection.demand(
            connection.observer.opened?.subprotocol == "first",
            "expected the subprotocol that the server chose, 'first'")
        let plain = try await open()
        try plain.demand(plain.observer.opened?.subprotocol == nil, "expected no subprotocol")
    }

    func order() async throws {
        let sent = (0..<300).map { number -> Message in
            number.isMultiple(of: 2)
                ? .text("message \(number)")
                : .binary([UInt8](repeating: UInt8(number & 0xFF), count: number))
        }
        try await echo(sent)
    }

    func sizes() async throws {
        let sizes = [0, 1, 125, 126, 65_535, 65_536]
        try await echo(sizes.flatMap { [Self.binary($0), Self.text($0)] })
    }

    func longMessages() async throws {
        let size = 16 << 20
        let connection = try await open()
        for (number, message) in [Self.binary(size), Self.text(size)].enumerated() {
            try connection.send([message])
            let came = try await connection.messages(number + 1)
            try connection.demand(came.last == message, "expected 16 MiB as they went")
        }
    }

    func multiByteText() async throws {
        let pieces = ["ä", "€", "😀", "e\u{301}", "\u{10FFFF}", "\u{0}"]
        try await echo([1, 7, 1_000, 30_000].map { .text(pieces.joined().repeated($0)) })
    }

    func readsOn() async throws {
        let connection = try await open("hello=50x10")
        let rounds = 20
        for round in 1...rounds {
            connection.call { $0.ping(PingID(UInt64(round))) }
            try connection.send([.text("round \(round)")])
        }
        try await connection.wait(for: "50 greetings, 20 echoes and the last pong") { observer in
            observer.messages.count == 50 + rounds
                && observer.reports.contains(.pong(PingID(UInt64(rounds))))
        }
        let echoes = connection.observer.messages.filter { $0 != .text("hhhhhhhhhh") }
        try connection.demand(
            echoes == (1...rounds).map { .text("round \($0)") }, "expected the echoes in order")
    }

    func backPressureOut() async throws {
        var limits = Limits()
        limits.outgoingHighWater = 256 << 10
        limits.outgoingLowWater = 64 << 10
        let connection = try await open(limits: limits)
        let piece = Self.binary(16 << 20)
        // Whoever does not take the echoes has the peer stop reading, however fast it is otherwise.
        connection.call { $0.setReading(false) }
        var sent: [Message] = []
        var hasRoom = true
        for _ in 0..<8 where hasRoom {
            try connection.call { transport throws(SendError) in
                hasRoom = try transport.send(piece)
            }
            sent.append(piece)
        }
        try connection.demand(!hasRoom, "expected send to say that the backlog is full")
        connection.call { $0.setReading(true) }
        let came = try await connection.messages(sent.count)
        try connection.demand(came == sent, "expected every echo, whole")
        try await connection.wait(for: "room") { $0.reports.contains(.writable) }
        try await connection.demandQuiet("the room")
        try connection.demand(
            connection.observer.reports.filter { $0 == .writable }.count == 1,
            "expected one report of room")
        connection.call { $0.ping(PingID(1)) }
        try await connection.wait(for: "a pong behind it all") {
            $0.reports.contains(.pong(PingID(1)))
        }
    }

    func backPressureIn() async throws {
        let connection = try await open()
        let sent: [Message] = [.text("a"), .binary([1]), .text("c")]
        connection.call { $0.setReading(false) }
        try connection.send(sent)
        try await connection.demandQuiet("reading was switched off")
        connection.call { $0.setReading(true) }
        let came = try await connection.messages(sent.count)
        try connection.demand(came == sent, "expected all that had been held back, in order")
        try await connection.demandAlive()
    }

    // MARK: Helpers

    private func echo(_ sent: [Message]) async throws {
        let connection = try await open()
        try connection.send(sent)
        let came = try await connection.messages(sent.count)
        let wrong = zip(sent, came).enumerated().first { $1.0 != $1.1 }?.offset
        try connection.demand(
            came == sent,
            "expected \(sent.count) messages as they went, got \(came.count), "
                + (wrong.map { "the first wrong one is number \($0)" } ?? "none of them wrong"))
        try await connection.demandQuiet("the last echo")
    }

    private static func binary(_ size: Int) -> Message {
        .binary((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    }

    private static func text(_ size: Int) -> Message {
        .text("text".repeated(size / 4) + "text".prefix(size % 4))
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
