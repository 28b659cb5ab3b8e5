import Testing

@testable import HeartwireSocket

@Suite("Who is told about which descriptor")
struct HandlerTableTests {
    private final class Handler: ReadinessHandler {
        func becameReady(_ readiness: Readiness) {}
    }

    @Test("A token finds its own handler among many")
    func finding() {
        var table = HandlerTable()
        let handlers = (0..<100).map { _ in Handler() }
        let tokens = handlers.map { table.add($0) }
        #expect(Set(tokens).count == 100)
        #expect(table.count == 100)
        for (token, handler) in zip(tokens, handlers) { #expect(table[token] === handler) }
    }

    @Test("G1: a removed handler's token finds nobody, also when its place is used again")
    func stale() {
        var table = HandlerTable()
        let old = table.add(Handler())
        let wasThere = table.remove(old)
        #expect(wasThere)
        #expect(table[old] == nil)
        #expect(table.count == 0)
        let heir = Handler()
        let new = table.add(heir)
        #expect(new != old)
        #expect(table[old] == nil)
        #expect(table[new] === heir)
    }

    @Test("A token is removed once")
    func twice() {
        var table = HandlerTable()
        let token = table.add(Handler())
        _ = table.add(Handler())
        let answers = [table.remove(token), table.remove(token)]
        #expect(answers == [true, false])
        #expect(table.count == 1)
    }

    @Test("Tokens that were never given out find nobody and remove nothing")
    func unknown() {
        var table = HandlerTable()
        for token in [0, 1, UInt64(1) << 32, .max, .max - 1] {
            #expect(table[token] == nil)
            let wasThere = table.remove(token)
            #expect(!wasThere)
        }
        let token = table.add(Handler())
        #expect(table[token + 1] == nil)
        #expect(table[token | 1 << 32] == nil)
    }

    @Test("What was removed is not kept alive, and places are used again")
    func places() {
        var table = HandlerTable()
        weak var observed: Handler?
        var tokens: Set<UInt64> = []
        for _ in 0..<1_000 {
            let handler = Handler()
            observed = handler
            let token = table.add(handler)
            #expect(tokens.insert(token).inserted)
            #expect(token & 0xFFFF_FFFF == 0)
            let wasThere = table.remove(token)
            #expect(wasThere)
        }
        #expect(observed == nil)
    }
}
