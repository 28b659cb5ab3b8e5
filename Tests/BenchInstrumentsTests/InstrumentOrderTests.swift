import Testing

@testable import BenchInstruments

@Suite("What the instruments are asked for")
struct InstrumentOrderTests {
    @Test("A paced client has a URL, a size and a window, and everything else by default")
    func paced() throws {
        let order = try InstrumentOrder(["paced", "ws://127.0.0.1:9/", "64", "2"])
        guard case .paced(let load) = order else {
            Issue.record("\(order)")
            return
        }
        #expect(load.url == "ws://127.0.0.1:9/")
        #expect(load.size == 64)
        #expect(load.window == 2)
        #expect(load.kind == .binary)
        #expect(load.consumers == 1)
        #expect(load.place == .executor)
        #expect(load.authority == nil)
    }

    @Test("Everything can be said in order")
    func everything() throws {
        let order = try InstrumentOrder(["paced", "u", "0", "1", "t", "16", "pool", "ca.pem"])
        guard case .paced(let load) = order else {
            Issue.record("\(order)")
            return
        }
        #expect(load.kind == .text)
        #expect(load.consumers == 16)
        #expect(load.place == .pool)
        #expect(load.authority == "ca.pem")
    }

    @Test("A crowd has a URL and a count, and an interval if one is given")
    func crowd() throws {
        guard
            case .crowd(let plain) = try InstrumentOrder(["crowd", "u", "10"]),
            case .crowd(let quick) = try InstrumentOrder(["crowd", "u", "100000", "1000"])
        else {
            Issue.record("no crowd")
            return
        }
        #expect(plain.count == 10)
        #expect(plain.interval == nil)
        #expect(quick.count == 100_000)
        #expect(quick.interval == 1_000)
    }

    @Test(
        "What does not fit is refused",
        arguments: [
            [], ["other"], ["paced"], ["paced", "u", "64"], ["paced", "u", "x", "1"],
            ["paced", "u", "-1", "1"], ["paced", "u", "16777217", "1"], ["paced", "u", "1", "0"],
            ["paced", "u", "1", "100001"], ["paced", "u", "1", "1", "d"],
            ["paced", "u", "1", "1", "b", "0"], ["paced", "u", "1", "1", "b", "1001"],
            ["paced", "u", "1", "1", "b", "1", "moon"],
            ["paced", "u", "1", "1", "b", "1", "pool", "ca", "more"],
            ["crowd", "u"], ["crowd", "u", "0"], ["crowd", "u", "100001"],
            ["crowd", "u", "1", "0"], ["crowd", "u", "1", "3600001"],
            ["crowd", "u", "1", "1", "1"],
        ])
    func refused(_ words: [String]) {
        #expect(throws: InstrumentMisuse.self) { try InstrumentOrder(words) }
    }

    @Test("A refusal names the bounds")
    func words() {
        let error = #expect(throws: InstrumentMisuse.self) {
            try InstrumentOrder(["crowd", "u", "0"])
        }
        #expect(error?.description == "COUNT is a number from 1 to 100000")
    }
}
