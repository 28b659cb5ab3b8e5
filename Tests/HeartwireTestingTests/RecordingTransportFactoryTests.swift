import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

/// Notes what it hears, with the generation.
private final class Ear: TransportObserver {
    var heard: [String] = []

    func transportProgressed(_ generation: Generation, _ phase: ConnectPhase) {
        heard.append("\(generation) progressed \(phase)")
    }
    func transportOpened(_ generation: Generation, _ opened: OpenedConnection) {
        heard.append("\(generation) opened")
    }
    func transportReceived(_ generation: Generation, _ message: Message) {
        heard.append("\(generation) message")
    }
    func transportFinishedBatch(_ generation: Generation) { heard.append("\(generation) batch") }
    func transportReceivedPing(_ generation: Generation, payload: [UInt8]) {
        heard.append("\(generation) ping")
    }
    func transportReceivedPong(_ generation: Generation, _ id: PingID) {
        heard.append("\(generation) pong \(id)")
    }
    func transportBecameWritable(_ generation: Generation) {
        heard.append("\(generation) writable")
    }
    func transportClosed(_ generation: Generation, _ cause: CloseCause) {
        heard.append("\(generation) closed")
    }
}

/// Notes what it is asked for, and hands out its observer.
private final class Mute: Transport {
    var asked: [String] = []
    let observer: any TransportObserver

    init(_ observer: any TransportObserver) {
        self.observer = observer
    }

    func open() { asked.append("open") }
    func send(_ message: Message) throws(SendError) -> Bool {
        asked.append("send")
        return false
    }
    func ping(_ id: PingID) { asked.append("ping \(id)") }
    func close(_ code: CloseCode?, reason: String) { asked.append("close \(reason)") }
    func abort() { asked.append("abort") }
    func setReading(_ isReading: Bool) { asked.append("reading \(isReading)") }
}

private final class MuteFactory: TransportFactory, @unchecked Sendable {
    let executor: any SessionExecutor = VirtualExecutor()
    var made: [Mute] = []

    func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        made.append(Mute(observer))
        return made[made.count - 1]
    }
}

@Suite("RecordingTransportFactory")
struct RecordingTransportFactoryTests {
    private let inner = MuteFactory()
    private let ear = Ear()
    private let factory: RecordingTransportFactory
    private let request: ConnectionRequest

    init() throws {
        factory = RecordingTransportFactory(inner)
        request = try ConnectionRequest(url: WebSocketURL("ws://h/"))
    }

    private func make(_ number: UInt64) -> any Transport {
        factory.makeTransport(Generation(number), request: request, observer: ear)
    }

    @Test("each transport is kept, and the last one of a generation can be had")
    func kept() {
        _ = make(1)
        _ = make(2)
        #expect(factory.transports.map(\.generation) == [Generation(1), Generation(2)])
        #expect(factory.transport(of: Generation(1)) === factory.transports[0])
        #expect(factory.transport(of: Generation(3)) == nil)
        #expect(factory.executor === inner.executor)
    }

    @Test("what the client asks for reaches the transport, and pings and aborts are noted")
    func commands() throws {
        let transport = make(1)
        transport.open()
        #expect(try !transport.send(.text("a")))
        transport.ping(PingID(4))
        transport.close(.goingAway, reason: "r")
        transport.setReading(false)
        #expect(!factory.transports[0].isAborted)
        transport.abort()
        #expect(
            inner.made[0].asked == [
                "open", "send", "ping ping4", "close r", "reading false", "abort",
            ])
        #expect(factory.transports[0].pings == [PingID(4)] && factory.transports[0].isAborted)
    }

    @Test("what the transport reports reaches the client and is noted, messages apart")
    func reports() {
        _ = make(1)
        let observer = inner.made[0].observer
        let cause = CloseCause.heartbeatTimeout
        observer.transportProgressed(Generation(1), .tcp)
        observer.transportOpened(Generation(1), OpenedConnection())
        observer.transportReceived(Generation(1), .text("a"))
        observer.transportFinishedBatch(Generation(1))
        observer.transportReceivedPing(Generation(1), payload: [])
        observer.transportReceivedPong(Generation(1), PingID(2))
        observer.transportBecameWritable(Generation(1))
        observer.transportClosed(Generation(1), cause)
        #expect(
            ear.heard == [
                "g1 progressed tcp", "g1 opened", "g1 message", "g1 batch", "g1 ping",
                "g1 pong ping2", "g1 writable", "g1 closed",
            ])
        #expect(
            factory.transports[0].reports == [
                .progressed(.tcp), .opened, .ping, .pong(PingID(2)), .writable, .closed(cause),
            ])
    }

    @Test("G1: an old transport can be made to report anything again, under its own generation")
    func replay() {
        _ = make(1)
        _ = make(2)
        let old = factory.transports[0]
        for report: TransportReport in [
            .progressed(.tls), .opened, .message(.binary([])), .ping, .pong(PingID(9)), .writable,
            .closed(.heartbeatTimeout),
        ] {
            old.replay(report)
        }
        #expect(
            ear.heard == [
                "g1 progressed tls", "g1 opened", "g1 message", "g1 batch", "g1 ping",
                "g1 pong ping9", "g1 writable", "g1 closed",
            ])
        #expect(old.reports.isEmpty)
    }
}
