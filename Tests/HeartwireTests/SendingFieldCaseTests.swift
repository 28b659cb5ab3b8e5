import Heartwire
import HeartwireProtocol
import HeartwireTesting
import Testing

/// What several tasks send at once.
@Suite struct SendingFieldCaseTests {
    @Test(
        "K06-13: what three tasks send at once arrives in whole messages, each task's in its order")
    func interleaved() async throws {
        let world = try ClientWorld(.virtual)
        let size = 200 << 10
        let (messages, pings) = try await world.run { world in
            let watched = try world.makeClient { configuration in
                configuration.heartbeat = .every(.milliseconds(10), timeout: .seconds(1))
            }
            await watched.client.connect()
            try await watched.client.waitUntilOpen()
            let client = watched.client
            let large = (0..<2).map { sender in
                Task(executorPreference: world.executor) {
                    for number in 0..<20 {
                        let mark = UInt8(sender * 100 + number)
                        try await client.send(.binary([UInt8](repeating: mark, count: size)))
                    }
                }
            }
            let small = Task(executorPreference: world.executor) {
                for number in 0..<100 {
                    try await client.send(.text("\(number)"))
                    await world.sleep(for: .milliseconds(1))
                }
            }
            for task in large + [small] { try await task.value }
            _ = await watched.log.wait(.seconds(60)) { $0.messages.count == 140 }
            let seen = (watched.log.messages, watched.log.events(.pingSent).count)
            #expect(await world.windUp() == nil)
            #expect(watched.faults.isEmpty)
            return seen
        }
        var marks: [UInt8] = []
        var texts: [String] = []
        for message in messages {
            switch message {
            case .text(let text): texts.append(text)
            case .binary(let bytes):
                #expect(bytes.count == size)
                #expect(bytes.allSatisfy { $0 == bytes[0] })
                marks.append(bytes[0])
            }
        }
        #expect(texts == (0..<100).map { "\($0)" })
        #expect(marks.filter { $0 < 100 } == (0..<20).map { UInt8($0) })
        #expect(marks.filter { $0 >= 100 } == (100..<120).map { UInt8($0) })
        #expect(pings > 0)
    }
}
