import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting

/// Two ends of one virtual connection with nothing above them but a diary each.
final class Wire {
    static let port: UInt16 = 7

    let executor = VirtualExecutor()
    let network: VirtualNetwork
    let client: Diary
    let server: Diary

    init(
        latency: Duration = .zero, capacity: Int = VirtualNetwork.defaultPipeCapacity,
        readSize: Int = VirtualNetwork.defaultReadSize
    ) {
        network = VirtualNetwork(executor: executor, latency: latency)
        network.pipeCapacity = capacity
        network.readSize = readSize
        client = Diary(executor)
        server = Diary(executor)
        let server = server
        network.listen(port: Self.port) { channel in
            server.note("accepted")
            server.channel = channel
            channel.handler = server
        }
    }

    /// Begins to connect the client's end; nothing has happened yet.
    func dial(port: UInt16 = Wire.port) {
        executor.perform { client.channel = network.connect(port: port, handler: client) }
    }

    /// A wire that is up at both ends.
    static func up(
        latency: Duration = .zero, capacity: Int = VirtualNetwork.defaultPipeCapacity,
        readSize: Int = VirtualNetwork.defaultReadSize
    ) -> Wire {
        let wire = Wire(latency: latency, capacity: capacity, readSize: readSize)
        wire.dial()
        wire.executor.advance(by: latency * 2)
        wire.client.lines = []
        wire.server.lines = []
        return wire
    }

    /// Does something to a channel in the domain.
    func at(_ diary: Diary, _ body: (VirtualChannel) -> Void) {
        executor.perform {
            if let channel = diary.channel { body(channel) }
        }
    }

    /// Writes in the domain and tells how many bytes were taken.
    @discardableResult
    func write(_ diary: Diary, _ bytes: [UInt8]) -> Int {
        executor.perform { bytes.withUnsafeBytes { diary.channel?.write($0) ?? -1 } }
    }

    @discardableResult
    func write(_ diary: Diary, _ text: String) -> Int {
        write(diary, Array(text.utf8))
    }
}

/// A handler that writes down what it hears, and when, in virtual milliseconds.
final class Diary: ByteChannelHandler {
    var lines: [String] = []
    var channel: VirtualChannel?
    /// Called with each report, for tests that do something from within one.
    var onReport: ((String) -> Void)?
    private let executor: VirtualExecutor

    init(_ executor: VirtualExecutor) {
        self.executor = executor
    }

    func note(_ report: String) {
        lines.append("\(executor.now().nanoseconds / 1_000_000) \(report)")
        onReport?(report)
    }

    func channelConnected() {
        note("connected")
    }

    func channelReceived(_ bytes: UnsafeRawBufferPointer) {
        note(bytes.count > 40 ? "\(bytes.count) bytes" : String(decoding: bytes, as: UTF8.self))
    }

    func channelReceivedEOF() {
        note("EOF")
    }

    func channelBecameWritable() {
        note("writable")
    }

    func channelFailed(_ failure: ConnectionFailure) {
        note("failed \(failure.kind.rawValue) \(failure.systemCode)")
    }
}
