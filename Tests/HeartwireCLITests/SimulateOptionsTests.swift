import HeartwireTesting
import Testing

@testable import HeartwireCLI

private func simulate(_ words: [String]) throws -> SimulateOptions? {
    guard case .simulate(let options) = try CommandRequest(arguments: ["simulate"] + words) else {
        return nil
    }
    return options
}

private func worlds(_ words: String...) throws -> WorldsOptions? {
    guard case .worlds(let options) = try simulate(words) else { return nil }
    return options
}

private func herd(_ words: String...) throws -> HerdOptions? {
    guard case .herd(let options) = try simulate(["herd"] + words) else { return nil }
    return options
}

@Suite("SimulateOptions")
struct SimulateOptionsTests {
    @Test("without arguments a hundred worlds of an hour are lived through, from seed 1")
    func defaults() throws {
        let options = try #require(try worlds())
        #expect(options.first == 1 && options.count == 100 && !options.isFresh)
        #expect(options.duration == .seconds(3_600) && options.faults == SimulationFaults())
        #expect(options.format == .table && !options.isVerbose && options.journal == nil)
        #expect(try worlds("worlds") == options)
    }

    @Test("seeds are a row or one")
    func seeds() throws {
        let row = try worlds("--seeds", "5", "--from", "70")
        #expect(row?.first == 70 && row?.count == 5)
        let one = try worlds("--seed", "9", "--verbose", "--journal", "j")
        #expect(one?.first == 9 && one?.count == 1 && one?.isVerbose == true)
        #expect(one?.journal == "j")
        #expect(try worlds("--fresh", "--seeds=3")?.isFresh == true)
    }

    @Test(
        "seeds that contradict each other are misuse, as is a journal of many worlds",
        arguments: [
            ["--seed", "1", "--seeds", "2"], ["--seed", "1", "--from", "2"],
            ["--seed", "1", "--fresh"], ["--fresh", "--from", "2"], ["--verbose"],
            ["--journal", "j"], ["--seeds", "0"], ["--seed", "-1"], ["--hours", "0"],
            ["--hours", "169"], ["--format", "xml"], ["walk"], ["herd", "walk"],
            ["worlds", "herd"],
        ])
    func contradictions(words: [String]) {
        #expect(throws: UsageError.self) { try simulate(words) }
    }

    @Test("faults are changed by name, and all at once")
    func faults() throws {
        let options = try worlds("--faults", "all=0,kill=0.5", "--faults", "delay=1")
        #expect(options?.faults.possible == [.delay, .kill])
        #expect(options?.faults[.kill] == 0.5 && options?.faults[.delay] == 1)
    }

    @Test(
        "a fault that there is not, or a probability that is none, is misuse",
        arguments: ["kil=0.1", "kill", "kill=2", "kill=-1", "kill=x", "kill=0=0", "=1"])
    func wrongFaults(word: String) {
        #expect(throws: UsageError.self) { try worlds("--faults", word) }
    }

    @Test("an unknown fault is named with the nearest")
    func suggestion() {
        let error = #expect(throws: UsageError.self) { try worlds("--faults", "kil=0.1") }
        #expect(error?.problem == "unknown fault 'kil' (did you mean 'kill'?)")
    }

    @Test("the last seed of a row can be asked for alone")
    func lastSeed() throws {
        #expect(try worlds("--from", "\(Int.max)", "--seeds", "1")?.first == UInt64(Int.max))
        let error = #expect(throws: UsageError.self) {
            try worlds("--from", "\(Int.max)", "--seeds", "2")
        }
        #expect(error?.problem.contains("too few seeds") == true)
    }

    @Test("a herd has a million clients unless told otherwise")
    func herds() throws {
        let options = try #require(try herd())
        #expect(options.settings == HerdSettings(clients: 1_000_000, seed: 1))
        #expect(options.format == .table && options.svg == nil)
        let other = try herd(
            "--clients=10", "--seed=7", "--outage=30s", "--capacity=5", "--svg", "f", "--format",
            "json")
        #expect(other?.settings.clients == 10 && other?.settings.seed == 7)
        #expect(other?.settings.outage == .seconds(30) && other?.settings.capacity == 5)
        #expect(other?.svg == "f" && other?.format == .json)
        #expect(throws: UsageError.self) { try herd("--outage", "61m") }
        #expect(throws: UsageError.self) { try herd("--clients", "4000001") }
    }

    @Test("an option of the one is misuse with the other, and says where it belongs")
    func strangers() {
        let error = #expect(throws: UsageError.self) { try herd("--hours", "2") }
        #expect(error?.problem == "'--hours' is for 'simulate worlds'")
        #expect(throws: UsageError.self) { try worlds("--clients", "2") }
    }

    @Test("the help text names every fault with its probability")
    func help() {
        let text = HelpText.text(for: SimulateOptions.spec)
        for fault in SimulationFault.allCases { #expect(text.contains("  \(fault.rawValue) ")) }
        #expect(text.contains("0.08 each minute"))
    }
}
