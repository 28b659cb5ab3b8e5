import HeartwireProtocol
import HeartwireTesting
import Testing

@Suite struct EndpointEventTests {
    private func line(_ kind: EndpointEvent.Kind, at time: Duration = .milliseconds(5)) -> String {
        EndpointEvent(time: time, connection: 3, kind: kind).jsonLine
    }

    private func ending(_ kind: EndpointEvent.Kind) -> String {
        let head = "{\"t_ms\":5,\"connection\":3,\"event\":"
        let line = line(kind)
        return line.hasPrefix(head) ? String(line.dropFirst(head.count)) : line
    }

    @Test("J2: each event is one line of JSON with its name and its numbers")
    func lines() {
        #expect(ending(.accepted) == "\"accepted\"}")
        #expect(ending(.requested) == "\"requested\"}")
        #expect(ending(.opened) == "\"opened\"}")
        #expect(ending(.refused(status: 403)) == "\"refused\",\"status\":403}")
        #expect(ending(.refused(status: nil)) == "\"refused\"}")
        #expect(
            ending(.message(isText: true, bytes: 7)) == "\"message\",\"opcode\":1,\"bytes\":7}")
        #expect(
            ending(.message(isText: false, bytes: 0)) == "\"message\",\"opcode\":2,\"bytes\":0}")
        #expect(ending(.ping(bytes: 4)) == "\"ping\",\"bytes\":4}")
        #expect(ending(.pong(bytes: 125)) == "\"pong\",\"bytes\":125}")
        #expect(ending(.closeReceived(1000)) == "\"close-received\",\"code\":1000}")
        #expect(ending(.closeReceived(nil)) == "\"close-received\"}")
        #expect(ending(.closeSent(4999)) == "\"close-sent\",\"code\":4999}")
        #expect(ending(.closeSent(nil)) == "\"close-sent\"}")
        #expect(ending(.dropped(.fin)) == "\"dropped\",\"reset\":0}")
        #expect(ending(.dropped(.rst)) == "\"dropped\",\"reset\":1}")
        #expect(ending(.frozen) == "\"frozen\"}")
        #expect(ending(.ended) == "\"ended\"}")
    }

    @Test(
        "Times are milliseconds, with the decimals that they need and no more",
        arguments: [
            (0, "0"), (1, "0"), (1_000, "0.001"), (500_000, "0.5"), (1_000_000, "1"),
            (1_020_000, "1.02"), (12_345_678, "12.345"), (86_400_000_000_000, "86400000"),
        ])
    func times(_ nanoseconds: Int, _ expected: String) {
        let line = line(.opened, at: .nanoseconds(nanoseconds))
        #expect(line.hasPrefix("{\"t_ms\":\(expected),"))
    }

    @Test("J1: neither contents nor query strings nor headers come into the journal")
    func canary() throws {
        let world = World()
        let peer = try world.open("/canary?close=4000:canary@50", subprotocols: ["canary"])
        try peer.send(.text("canary"), .binary(Array("canary".utf8)))
        try peer.act { engine throws(SendError) in try engine.sendPing(Array("canary".utf8)) }
        world.executor.advance(by: .seconds(1))
        _ = try world.open("/?canary=canary")
        let text = world.journal.map(\.jsonLine).joined(separator: "\n")
        #expect(text.contains("\"close-sent\",\"code\":4000"))
        #expect(text.contains("\"refused\",\"status\":400"))
        #expect(!text.contains("canary"))
    }
}
