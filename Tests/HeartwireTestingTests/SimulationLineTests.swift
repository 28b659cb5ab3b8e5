import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import Testing

@testable import HeartwireTesting

/// A client and a server on a simulated network, which note what they hear.
private final class Rig {
    let executor = VirtualExecutor()
    let dice: SimulationDice
    let alarms: SimulationAlarms
    let auditor: SimulationAuditor
    let network: SimulationNetwork
    let client = Listener()
    let server = Listener()
    private(set) var accepted: VirtualChannel?

    init(_ changes: [SimulationFault: Double] = [:], seed: UInt64 = 1) {
        var faults = SimulationFaults.none
        for (fault, probability) in changes { faults[fault] = probability }
        dice = SimulationDice(seed: seed, faults: faults)
        alarms = SimulationAlarms(executor)
        auditor = SimulationAuditor(executor, trace: nil)
        network = SimulationNetwork(executor, dice: dice, alarms: alarms, auditor: auditor)
        network.network.listen(port: SimulationNetwork.port) { [unowned self] channel in
            accepted = channel
            channel.handler = server
        }
    }

    func connect() throws -> SimulationLine {
        let url = try WebSocketURL("ws://simulation.test/")
        return try executor.perform {
            let channel = network.connect(to: url, handler: client)
            return try #require(channel as? SimulationLine)
        }
    }

    func write(_ text: String, on channel: any ByteChannel) -> Int {
        executor.perform {
            Array(text.utf8).withUnsafeBytes { channel.write($0) }
        }
    }

    func pass(_ seconds: Int = 10) { executor.advance(by: .seconds(seconds)) }
}

private final class Listener: ByteChannelHandler {
    var text = ""
    var isConnected = false
    var hasEnded = false
    var hasRoom = 0
    var failure: ConnectionFailure?

    func channelConnected() { isConnected = true }
    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        text += String(decoding: bytes, as: UTF8.self)
    }
    func channelReceivedEOF() { hasEnded = true }
    func channelBecameWritable() { hasRoom += 1 }
    func channelFailed(_ failure: ConnectionFailure) { self.failure = failure }
}

@Suite("SimulationLine and SimulationNetwork")
struct SimulationLineTests {
    @Test(
        "without faults a line hands everything on in both directions, and is over when it is finished"
    )
    func honest() throws {
        let rig = Rig()
        let line = try rig.connect()
        rig.pass()
        #expect(rig.client.isConnected && rig.network.attempts == 1)
        #expect(rig.write("request", on: line) == 7)
        let accepted = try #require(rig.accepted)
        #expect(rig.write("answer", on: accepted) == 6)
        rig.pass()
        #expect(rig.server.text == "request" && rig.client.text == "answer")
        #expect(rig.network.living.count == 1)
        rig.executor.perform {
            accepted.finish()
            line.finish()
        }
        rig.pass()
        #expect(line.isOver && rig.network.living.isEmpty && rig.dice.counts == [:])
        #expect(rig.executor.pendingTimers == 0)
    }

    @Test("every byte that goes over a line is in the digest")
    func digest() throws {
        func digest(_ text: String) throws -> UInt64 {
            let rig = Rig()
            let line = try rig.connect()
            rig.pass()
            _ = rig.write(text, on: line)
            return rig.auditor.digest.value
        }
        #expect(try digest("a") != digest("b"))
    }

    @Test("reading, the end of writing and room go through")
    func control() throws {
        let rig = Rig()
        let line = try rig.connect()
        rig.pass()
        let accepted = try #require(rig.accepted)
        rig.executor.perform {
            line.setReading(false)
            accepted.setReading(false)
        }
        _ = rig.write("late", on: accepted)
        let much = String(repeating: "m", count: 300_000)
        let taken = rig.write(much, on: line)
        #expect(taken < 300_000)
        rig.pass()
        #expect(rig.client.text == "")
        rig.executor.perform {
            line.setReading(true)
            accepted.setReading(true)
        }
        rig.pass()
        #expect(rig.client.text == "late" && rig.client.hasRoom == 1)
        rig.executor.perform { line.finishWriting() }
        rig.executor.perform { accepted.finishWriting() }
        rig.pass()
        #expect(rig.server.hasEnded && rig.client.hasEnded)
        rig.executor.perform { line.abort(reset: true) }
        #expect(line.isOver)
    }

    @Test("lost in TCP: not a byte of the request arrives")
    func beforeRequest() throws {
        let rig = Rig([.lostInTCP: 1])
        let line = try rig.connect()
        rig.pass()
        #expect(rig.client.isConnected)
        #expect(rig.write("request", on: line) == 7)
        #expect(rig.client.failure == nil)
        rig.pass()
        #expect(rig.client.failure?.kind == .reset && rig.server.text == "")
        #expect(rig.server.failure?.kind == .reset && line.isOver)
    }

    @Test("lost in the handshake: a beginning of the answer comes, in however many pieces")
    func inAnswer() throws {
        let rig = Rig([.lostInHandshake: 1])
        let line = try rig.connect()
        rig.pass()
        _ = rig.write("request", on: line)
        let accepted = try #require(rig.accepted)
        let answer = String(repeating: "a", count: 200)
        for _ in 0..<2 {
            _ = rig.write(answer, on: accepted)
            rig.pass(1)
        }
        #expect((1...120).contains(rig.client.text.count))
        #expect(rig.client.failure?.kind == .reset && line.isOver)
        let slow = Rig()
        let other = try slow.connect()
        other.cuts.answerBytes = 7
        slow.pass()
        for _ in 0..<3 {
            if let accepted = slow.accepted { _ = slow.write("abc", on: accepted) }
            slow.pass(1)
        }
        #expect(slow.client.text == "abcabca")
    }

    @Test("lost in a frame: half of the write or of the read is the last that comes")
    func inFrame() throws {
        let rig = Rig()
        let line = try rig.connect()
        line.cuts.write = 2
        rig.pass()
        for text in ["request", "first", "second"] { _ = rig.write(text, on: line) }
        rig.pass()
        #expect(rig.server.text == "requestfirstsec" && rig.client.failure?.kind == .reset)
        let other = Rig()
        let read = try other.connect()
        read.cuts.read = 1
        other.pass()
        for text in ["answer", "first", "second"] {
            if let accepted = other.accepted { _ = other.write(text, on: accepted) }
            other.pass(1)
        }
        #expect(other.client.text == "answerfir")
    }

    @Test("a line that is lost is told once, later, and not to who has gone")
    func lost() throws {
        let rig = Rig()
        let line = try rig.connect()
        rig.pass()
        rig.executor.perform {
            line.lose()
            line.lose()
            #expect(rig.client.failure == nil)
        }
        rig.pass()
        #expect(rig.client.failure?.kind == .reset)
        let gone = Rig()
        let other = try gone.connect()
        gone.pass()
        gone.executor.perform {
            other.lose()
            other.abort(reset: false)
        }
        gone.pass()
        #expect(gone.client.failure == nil)
        #expect(gone.write("x", on: other) == 1)
    }

    @Test("a process that dies hears of nothing, and its server of a reset")
    func dies() throws {
        let rig = Rig()
        let line = try rig.connect()
        rig.pass()
        rig.executor.perform { line.die() }
        rig.pass()
        #expect(rig.client.failure == nil && rig.server.failure?.kind == .reset && line.isOver)
    }

    @Test("a frozen line brings nothing until it comes back")
    func frozen() throws {
        let rig = Rig()
        let line = try rig.connect()
        rig.pass()
        rig.executor.perform { line.freeze(for: .seconds(30), rig.alarms) }
        _ = rig.write("a", on: line)
        rig.pass(29)
        #expect(rig.server.text == "")
        rig.pass(2)
        #expect(rig.server.text == "a")
        rig.executor.perform { line.freeze(for: nil, rig.alarms) }
        _ = rig.write("b", on: line)
        rig.pass(10_000)
        #expect(rig.server.text == "a")
    }

    @Test("an attempt is refused, or gets no answer")
    func attempts() throws {
        let refused = Rig([.refusedConnect: 1])
        _ = try refused.connect()
        refused.pass()
        #expect(refused.client.failure?.kind == .refused && refused.network.living.isEmpty)
        let silent = Rig([.unansweredConnect: 1])
        let line = try silent.connect()
        silent.pass(1_000)
        #expect(!silent.client.isConnected && silent.client.failure == nil && !line.isOver)
    }

    @Test(
        "a fault of the line strikes within minutes",
        arguments: [SimulationFault.lostWhenOpen, .stall, .freeze])
    func scheduled(fault: SimulationFault) throws {
        let rig = Rig([fault: 1])
        let line = try rig.connect()
        rig.pass(400)
        #expect(rig.dice.counts[fault] == 1)
        switch fault {
        case .lostWhenOpen: #expect(line.isOver && rig.client.failure?.kind == .reset)
        case .stall:
            _ = rig.write("a", on: line)
            rig.pass()
            #expect(rig.server.text == "a")
        default:
            #expect(!line.isOver)
        }
    }

    @Test("a slow line takes its time, and small reads yield little")
    func slow() throws {
        let rig = Rig([.delay: 1, .smallReads: 1])
        let line = try rig.connect()
        rig.executor.advance(by: .milliseconds(399))
        #expect(!rig.client.isConnected)
        rig.pass()
        #expect(rig.client.isConnected && line.channel?.readSize == 24)
    }
}
