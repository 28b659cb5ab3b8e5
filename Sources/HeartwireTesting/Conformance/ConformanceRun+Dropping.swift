import HeartwireProtocol
import HeartwireSession

// What may not happen once a connection was dropped or is over.
extension ConformanceRun {
    func abortBeforeOpening() async throws {
        let connection = try connection()
        connection.abort()
        connection.call { $0.open() }
        try await connection.demandQuiet("abort()")
    }

    func abortWhileConnecting() async throws {
        let atOnce = try connection()
        atOnce.call { $0.open() }
        atOnce.abort()
        let later = try connection("delay=60")
        later.call { $0.open() }
        await later.pause()
        later.abort()
        try await atOnce.demandQuiet("abort()")
        try await later.demandQuiet("abort()")
    }

    func abortWhileOpen() async throws {
        let connection = try await open()
        try connection.send([.text("on its way")])
        connection.call { $0.ping(PingID(1)) }
        connection.abort()
        connection.abort()
        try await connection.demandQuiet("abort()")
    }

    func abortWhileClosing() async throws {
        let connection = try await open()
        connection.call { $0.close(1000, reason: "") }
        connection.abort()
        try await connection.demandQuiet("abort()")
    }

    func abortWithinReports() async throws {
        let reports: [TransportReport] = [.opened, .message(.text("a")), .pong(PingID(1))]
        for fatal in reports {
            let connection = try connection()
            connection.observer.onReport = { [unowned connection] report in
                if report == fatal { connection.abort() }
            }
            connection.call { $0.open() }
            try await connection.wait(for: "the opening") { !$0.reports.isEmpty }
            if fatal != .opened {
                try connection.send([.text("a"), .text("b")])
                connection.call { $0.ping(PingID(1)) }
            }
            try await connection.wait(for: "the report to drop it in") { $0.isAborted }
            try await connection.demandQuiet("abort()")
        }
    }

    func sendingOutsideOpen() async throws {
        let connection = try connection()
        try demandRefusal(connection, .notOpen, "before open()")
        connection.call { $0.ping(PingID(1)) }
        connection.call { $0.close(1000, reason: "") }
        connection.call { $0.open() }
        try demandRefusal(connection, .notOpen, "while connecting")
        try await connection.wait(for: "the opening") { $0.opened != nil || $0.cause != nil }
        try await connection.demandAlive()
        connection.call { $0.close(1000, reason: "") }
        try demandRefusal(connection, .closing, "while closing")
        _ = try await connection.end()
        try demandRefusal(connection, .closed, "after the end")
        try connection.demand(
            connection.observer.messages == [.text("alive")], "expected nothing that was refused")
    }

    func afterTheEnd() async throws {
        let connection = try await open("close=1000@20")
        _ = try await connection.end()
        connection.call { transport in
            transport.ping(PingID(1))
            transport.close(1000, reason: "")
            transport.setReading(false)
            transport.setReading(true)
            transport.open()
        }
        try await connection.demandQuiet("the end")
        connection.call { $0.abort() }
        try await connection.demandQuiet("the end")
    }

    func sideBySide() async throws {
        let first = try await open()
        let second = try await open()
        try first.send([.text("first")])
        try second.send([.text("second")])
        let (firstCame, secondCame) = (try await first.messages(1), try await second.messages(1))
        try first.demand(firstCame == [.text("first")], "expected the first one's own echo")
        try second.demand(secondCame == [.text("second")], "expected the second one's own echo")
        first.abort()
        try await second.demandAlive()
    }

    func lettingGo() async throws {
        for drops in [false, true] {
            let connection = try await open()
            if drops {
                connection.abort()
            } else {
                connection.call { $0.close(1000, reason: "") }
                _ = try await connection.end()
            }
            let isLetGo = connection.letGo()
            let start = factory.executor.now()
            while !isLetGo(), start.duration(to: factory.executor.now()) < patience.limit {
                await connection.pause()
            }
            try connection.demand(
                isLetGo(), "expected nothing to hold the transport \(drops ? "dropped" : "closed")")
            forget(connection)
        }
    }

    private func demandRefusal(
        _ connection: ConformanceConnection, _ expected: SendError, _ when: String
    ) throws {
        do throws(SendError) {
            try connection.send([.text("refused")])
        } catch {
            return try connection.demand(
                error == expected, "expected '\(expected)' \(when), saw '\(error)'")
        }
        throw ConformanceFailure("expected '\(expected)' \(when), saw the message taken")
    }
}
