import HeartwireSession
import Testing

@Suite("SessionConfiguration: the settings of a client's life")
struct SessionConfigurationTests {
    @Test("H14, R1: the defaults")
    func defaults() throws {
        let configuration = SessionConfiguration()
        let heartbeat = try #require(configuration.heartbeat)
        #expect(heartbeat == .standard)
        #expect(heartbeat == (try .init(interval: .seconds(20), timeout: .seconds(10))))
        #expect(configuration.reconnect == ReconnectPolicy())
        #expect(configuration.connectTimeout == .seconds(30))
        #expect(configuration.closeTimeout == .seconds(5))
        #expect(configuration.wakeSpacing == .seconds(30))
        #expect(configuration.pathSettling == .milliseconds(500))
    }

    @Test("H14: every setting can be changed")
    func changes() {
        var configuration = SessionConfiguration(
            heartbeat: nil, reconnect: nil, connectTimeout: .seconds(1), closeTimeout: .seconds(2),
            wakeSpacing: .seconds(3), pathSettling: .seconds(4))
        #expect(configuration.heartbeat == nil)
        #expect(configuration.reconnect == nil)
        #expect(configuration.connectTimeout == .seconds(1))
        #expect(configuration.closeTimeout == .seconds(2))
        #expect(configuration.wakeSpacing == .seconds(3))
        #expect(configuration.pathSettling == .seconds(4))
        configuration.heartbeat = .standard
        #expect(configuration.heartbeat == .standard)
        configuration.heartbeat = nil
        #expect(configuration.heartbeat == nil)
    }
}
