import Testing

@testable import HeartwireCLI

@Suite("NearestMatch")
struct NearestMatchTests {
    private let commands = ["accept", "connect", "endpoint", "bench"]

    @Test("a swap of two letters is one edit")
    func swap() {
        #expect(nearestMatch(to: "acecpt", among: commands) == "accept")
    }

    @Test("a beginning that fits one candidate is enough, also when much is missing")
    func beginning() {
        #expect(nearestMatch(to: "end", among: commands) == "endpoint")
    }

    @Test("a beginning that fits two candidates falls back to the nearest")
    func ambiguousBeginning() {
        #expect(nearestMatch(to: "inter", among: ["interval", "interface"]) == nil)
    }

    @Test("a word that is far from everything suggests nothing")
    func far() {
        #expect(nearestMatch(to: "frobnicate", among: commands) == nil)
        #expect(suggestion(for: "frobnicate", among: commands) == "")
    }

    @Test("nothing, and a word of absurd length, suggest nothing")
    func extremes() {
        #expect(nearestMatch(to: "", among: commands) == nil)
        #expect(nearestMatch(to: String(repeating: "a", count: 100_000), among: commands) == nil)
    }

    @Test("case does not matter, and a suggestion carries its dashes")
    func caseAndPrefix() {
        #expect(nearestMatch(to: "ACCEPT", among: commands) == "accept")
        #expect(suggestion(for: "urk", among: ["url"], prefix: "--") == " (did you mean '--url'?)")
    }

    @Test("of two near candidates the nearer one wins")
    func nearer() {
        #expect(nearestMatch(to: "interva", among: ["internal", "intervals"]) == "intervals")
        #expect(nearestMatch(to: "xinterval", among: ["internal", "interval"]) == "interval")
    }
}
