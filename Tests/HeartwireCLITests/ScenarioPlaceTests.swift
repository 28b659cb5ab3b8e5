import HeartwireProtocol
import HeartwireTesting
import Testing

@testable import HeartwireCLI

func acceptOptions(_ words: [String]) throws -> AcceptOptions {
    guard case .accept(let options) = try CommandRequest(arguments: ["accept"] + words) else {
        throw UsageError("not accept")
    }
    return options
}

private struct Case {
    let words: [String]
    let needs: AcceptanceScenario.Needs
    let canRun: Bool

    init(_ words: [String], _ needs: AcceptanceScenario.Needs, _ canRun: Bool) {
        self.words = words
        self.needs = needs
        self.canRun = canRun
    }
}

@Suite("ScenarioPlace")
struct ScenarioPlaceTests {
    @Test(
        "what cannot be run in a place says what to do",
        arguments: [
            Case([], .endpoint, true), Case([], .inside, true), Case([], .virtualOnly, false),
            Case(["--virtual"], .virtualOnly, true),
            Case(["--virtual"], [.endpoint, .inside], true),
            Case(["--url=ws://h/"], .endpoint, false), Case(["--url=ws://h/"], .inside, false),
            Case(["--url=ws://h/"], .virtualOnly, false), Case(["--url=ws://h/"], [], true),
        ])
    private func obstacles(row: Case) throws {
        let place = ScenarioPlace(try acceptOptions(row.words))
        #expect((place.obstacle(to: row.needs) == nil) == row.canRun)
    }

    @Test("a server that was recognised runs all but what needs virtual time or this process")
    func recognised() throws {
        var place = ScenarioPlace(try acceptOptions(["--url=ws://h/"]))
        place.server = .endpoint(url: try WebSocketURL("ws://h/"))
        #expect(place.obstacle(to: .endpoint) == nil)
        #expect(place.obstacle(to: .inside)?.hasSuffix("leave out --url") == true)
        #expect(place.obstacle(to: .virtualOnly)?.hasSuffix("give --virtual") == true)
        #expect(place.worldPlace == .remote(try WebSocketURL("ws://h/")))
    }

    @Test("A4: the place carries the heartbeat that was asked for")
    func heartbeat() throws {
        let place = ScenarioPlace(try acceptOptions(["--interval=5", "--timeout=7ms"]))
        #expect(place.interval == .milliseconds(5) && place.timeout == .milliseconds(7))
        #expect(place.server == .embedded && place.worldPlace == .loopback)
        #expect(ScenarioPlace(try acceptOptions(["--virtual"])).worldPlace == .virtual)
    }

    @Test("a scenario may take longer where the settings are longer")
    func limit() throws {
        let short = ScenarioPlace(try acceptOptions([])).scenarioLimit
        let long = ScenarioPlace(try acceptOptions(["--interval=20s"])).scenarioLimit
        #expect(short > .seconds(60) && long > short + .seconds(600))
    }
}
