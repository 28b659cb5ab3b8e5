import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// What each answer to the opening handshake makes the session do, end to end.
@Suite struct RefusalVerdictTests {
    /// Answers the first connection with `head`, every further one with 403, and tells when each came.
    private func times(
        _ head: String, configure: @escaping (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> (result: RawWorld.Result, times: [Int64]) {
        let world = RawWorld()
        var times: [Int64] = []
        world.serve { connection in
            times.append(world.milliseconds)
            connection.write(
                times.count == 1
                    ? "HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n"
                    : "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        }
        let result = try world.run("ws://h/") { configuration in
            configuration.reconnect = ReconnectPolicy()
            configure(&configuration)
        }
        return (result, times)
    }

    @Test("R3: 403, 404, 410 and 426 stop at once", arguments: [403, 404, 410, 426])
    func stops(_ status: Int) throws {
        let (result, times) = try times("\(status) x")
        #expect(times == [0])
        guard case .refusedToRetry(.refused(let refusal))? = result.stop else {
            Issue.record("\(result.stop as Any)")
            return
        }
        #expect(refusal.status == status)
    }

    @Test(
        "R3: 429 and 5xx are tried again after the backoff", arguments: [429, 500, 502, 503, 504])
    func retries(_ status: Int) throws {
        let (_, times) = try times("\(status) x")
        #expect(times.count == 2)
        #expect(times.last.map { (1_000...1_300).contains($0) } == true)
    }

    @Test("R3: Retry-After is honoured in seconds and as a date")
    func retryAfter() throws {
        let seconds = try times("503 x\r\nRetry-After: 120")
        #expect(seconds.times == [0, 120_000])
        let date = try times(
            "429 x\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                + "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT")
        #expect(date.times == [0, 60_000])
    }

    @Test(
        "R3: 401 and 407 ask for a fresh request once, and a second one stops",
        arguments: [401, 407])
    func refreshes(_ status: Int) throws {
        let world = RawWorld()
        world.serve { connection in
            connection.write("HTTP/1.1 \(status) x\r\nContent-Length: 0\r\n\r\n")
        }
        let result = try world.run("ws://h/") { configuration in
            configuration.reconnect = ReconnectPolicy()
            configuration.request = { attempt in
                try ConnectionRequest(
                    url: attempt.url, headers: ["Authorization": "Bearer \(attempt.number)"])
            }
        }
        #expect(
            world.connections.map { $0.field("Authorization") } == ["Bearer 0", "Bearer 1"])
        guard case .refusedToRetry(.refused(let refusal))? = result.stop else {
            Issue.record("\(result.stop as Any)")
            return
        }
        #expect(refusal.status == status)
    }
}
