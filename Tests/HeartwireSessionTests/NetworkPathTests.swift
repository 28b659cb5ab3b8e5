import HeartwireSession
import Testing

@Suite("NetworkPath: what the network is good for")
struct NetworkPathTests {
    @Test("L3: a path is usable or not, in words")
    func words() {
        #expect(NetworkPath.allCases.map(\.rawValue) == ["usable", "unusable"])
    }
}
