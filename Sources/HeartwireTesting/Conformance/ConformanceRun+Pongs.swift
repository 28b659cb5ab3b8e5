import HeartwireProtocol
import HeartwireSession

// Pings and what becomes of them.
extension ConformanceRun {
    func pongs() async throws {
        let connection = try await open()
        // Ids that do not begin at one, as after a reconnect.
        for id in [41, 42, 1_000_000].map({ PingID($0) }) {
            connection.call { $0.ping(id) }
            try await connection.wait(for: "the pong for \(id)") {
                $0.reports.last == .pong(id) || $0.cause != nil
            }
            try connection.demand(
                connection.observer.reports.last == .pong(id), "expected the pong for \(id)")
        }
        try await connection.demandAlive()
    }

    func doublePongs() async throws {
        let connection = try await open("pong=double")
        for id in [PingID(1), PingID(2)] {
            connection.call { $0.ping(id) }
            try await connection.wait(for: "the pong for \(id)") {
                $0.reports.contains(.pong(id)) || $0.cause != nil
            }
            await connection.pause()
        }
        try connection.demand(
            connection.observer.reports == [.opened, .pong(PingID(1)), .pong(PingID(2))],
            "expected one pong for each ping")
        try await connection.demandAlive()
    }

    func foreignPongs() async throws {
        let connection = try await open("pong=wrong")
        connection.call { $0.ping(PingID(1)) }
        try await connection.demandQuiet("a pong that answers nothing")
        try await connection.demandAlive()
    }

    func missingPongs() async throws {
        let connection = try await open("pong=off")
        for id in 1...3 { connection.call { $0.ping(PingID(UInt64(id))) } }
        try await connection.demandQuiet("pings without an answer")
        try await connection.demandAlive()
    }

    func latePongs() async throws {
        let connection = try await open("pong=late:100")
        connection.call { $0.ping(PingID(1)) }
        await connection.pause()
        connection.call { $0.ping(PingID(2)) }
        try await connection.wait(for: "the pong for ping2") {
            $0.reports.contains(.pong(PingID(2))) || $0.cause != nil
        }
        let pongs = connection.observer.reports.filter { $0 != .opened }
        // The earlier one's may be reported by its own id, or not at all.
        try connection.demand(
            pongs == [.pong(PingID(2))] || pongs == [.pong(PingID(1)), .pong(PingID(2))],
            "expected no pong for the newest ping but its own")
        try await connection.demandAlive()
    }
}
