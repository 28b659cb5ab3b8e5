import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

@Suite("SharedPathMonitor: one monitor for a loop")
struct SharedPathMonitorTests {
    @Test("L3: all factories of a loop have the same monitor, and another loop has another")
    func shared() throws {
        let (one, two) = (EventLoop(name: "one"), EventLoop(name: "two"))
        defer {
            one.shutdown()
            two.shutdown()
        }
        let first = try #require(SocketTransportFactory(loop: one).pathMonitor)
        #expect(SocketTransportFactory(loop: one).pathMonitor === first)
        #expect(SocketTransportFactory(loop: two).pathMonitor !== first)
    }

    @Test("L3: when nobody has the monitor any longer, it is gone")
    func released() {
        let loop = EventLoop(name: "one")
        defer { loop.shutdown() }
        weak let monitor = SocketTransportFactory(loop: loop).pathMonitor
        #expect(monitor == nil)
        #expect(loop.pathMonitor.monitor(on: loop) != nil)
    }

    @Test("L3: in virtual time there is no monitor of the machine's")
    func virtual() {
        let network = VirtualNetwork(executor: VirtualExecutor())
        let factory = SocketTransportFactory(
            connector: network, random: { SeededRandomSource(seed: 1) })
        #expect(factory.pathMonitor == nil)
    }
}
