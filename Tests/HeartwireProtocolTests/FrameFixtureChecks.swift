import HeartwireProtocol
import Testing

/// Feeds a fixture to both roles whole, cut at every byte, byte by byte, and straight into its messages: what comes
/// of it never depends on the cut.
func check(_ fixture: FrameFixture) throws {
    for role in [Role.client, .server] {
        let stream = fixture.stream(to: role)
        let whole = try ConnectionEngine.record(role, [stream], limits: fixture.limits)
        #expect(whole.summaries == fixture.events, "\(role): \(fixture.name)")
        #expect(whole.replies == fixture.replies, "\(role): \(fixture.name)")
        #expect(whole.state == fixture.state, "\(role): \(fixture.name)")
        for pieces in cuts(of: stream) {
            let cut = try ConnectionEngine.record(role, pieces, limits: fixture.limits)
            #expect(cut == whole, "\(role) cut at \(pieces[0].count): \(fixture.name)")
        }
        for limit in [1, 3, stream.count] {
            let direct = try ConnectionEngine.recordDirectly(
                role, stream, atMost: limit, limits: fixture.limits)
            #expect(direct == whole, "\(role) directly, \(limit) at most: \(fixture.name)")
        }
    }
}
