import Testing

@testable import HeartwireProtocol

@Suite("1.3: the two roles")
struct RoleTests {
    @Test("Each is the other's peer")
    func peers() {
        #expect(Role.client.peer == .server)
        #expect(Role.server.peer == .client)
    }
}
