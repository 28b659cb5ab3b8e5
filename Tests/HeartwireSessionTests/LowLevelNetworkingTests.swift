import HeartwireSession
import Testing

@Suite("LowLevelNetworking: who may connect on watchOS")
struct LowLevelNetworkingTests {
    @Test("T3: where the platform lets some apps only, an app has to say that it is one of them")
    func obstacle() {
        let forbidden = ConnectionFailure(.forbidden)
        let cases: [(LowLevelNetworking, isRestricted: Bool, ConnectionFailure?)] = [
            (.whereAllowedToAll, false, nil), (.whereAllowedToAll, true, forbidden),
            (.allowedToThisApp, false, nil), (.allowedToThisApp, true, nil),
        ]
        for (networking, isRestricted, obstacle) in cases {
            #expect(networking.obstacle(isRestricted: isRestricted) == obstacle)
        }
        #expect(LowLevelNetworking.allCases.count == 2)
    }

    @Test("T3: only watchOS lets some apps only")
    func here() {
        #if os(watchOS)
            #expect(LowLevelNetworking.isRestricted)
        #else
            #expect(!LowLevelNetworking.isRestricted)
            #expect(LowLevelNetworking.whereAllowedToAll.obstacle() == nil)
        #endif
    }

    @Test(
        "T3, R3: what the platform forbids says so, and is not tried again unless it is asked for")
    func verdict() {
        let cause = CloseCause.connectFailed(ConnectionFailure(.forbidden))
        #expect("\(cause)".contains("watchOS"))
        #expect("\(cause)".contains("LowLevelNetworking"))
        #expect(cause.number == nil)
        #expect(VerdictTable().verdict(for: cause) == .stop)
        var changed = VerdictTable()
        changed[.failure(.forbidden)] = .retryAfter(.seconds(9))
        #expect(changed.verdict(for: cause) == .retryAfter(.seconds(9)))
    }
}
