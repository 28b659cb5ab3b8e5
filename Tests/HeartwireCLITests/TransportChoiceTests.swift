import HeartwireProtocol
import HeartwireURLSession
import Testing

@testable import HeartwireCLI

@Suite("TransportChoice")
struct TransportChoiceTests {
    @Test("T3: --transport takes socket or urlsession, and sockets unless it is given")
    func options() throws {
        #expect(try acceptOptions([]).transport == .socket)
        #expect(try acceptOptions(["--transport=socket"]).transport == .socket)
        #expect(try acceptOptions(["--transport", "urlsession"]).transport == .urlsession)
        let unknown = #expect(throws: UsageError.self) {
            try acceptOptions(["--transport=carrier-pigeon"])
        }
        #expect(unknown?.problem.contains("socket, urlsession") == true)
        #expect(throws: UsageError.self) {
            try acceptOptions(["--transport=urlsession", "--virtual"])
        }
        #expect(try acceptOptions(["--transport=socket", "--virtual"]).isVirtual)
    }

    @Test("sockets share their world's domain, Foundation's connections have one of their own")
    func factories() {
        #expect(TransportChoice.socket.makeFactory() == nil)
        #expect(TransportChoice.socket.obstacle == nil)
        #expect(TransportChoice.urlsession.makeFactory() is URLSessionTransportFactory)
    }

    @Test(
        "T3: where Foundation speaks no WebSocket the command says so in a line and fails",
        .enabled(if: !URLSessionTransportFactory.isSupported))
    func unsupported() async throws {
        let (output, diagnostics) = (TestPipe(), TestPipe())
        let end = await AcceptCommand.run(
            try acceptOptions(["--transport=urlsession"]), output: output.writer,
            diagnostics: diagnostics.writer)
        #expect(end == .failed("this platform's URLSession has no WebSocket support"))
        #expect(output.finish() == "")
        _ = diagnostics.finish()
    }

    @Test("a scenario that looks into the endpoint needs it in the client's own domain")
    func inside() throws {
        var place = ScenarioPlace(try acceptOptions(["--transport=urlsession"]))
        #expect(place.server == .embedded)
        #expect(place.obstacle(to: .endpoint) == nil)
        #expect(place.obstacle(to: .inside)?.hasSuffix("leave out --transport") == true)
        place.server = .endpoint(url: try WebSocketURL("ws://h/"))
        #expect(
            place.obstacle(to: [.endpoint, .inside])?.hasSuffix("leave out --transport") == true)
    }
}

@Suite("NeighbourEndpoint")
struct NeighbourEndpointTests {
    @Test(
        "only clients of another domain have a neighbour, and it acts on their queries (real time)")
    func listens() async throws {
        var place = ScenarioPlace(try acceptOptions([]))
        #expect(try NeighbourEndpoint(for: &place) == nil)
        #expect(place.server == .embedded)
        place = ScenarioPlace(try acceptOptions(["--transport=urlsession", "--url=ws://h/"]))
        #expect(try NeighbourEndpoint(for: &place) == nil)
        place = ScenarioPlace(try acceptOptions(["--transport=urlsession"]))
        let neighbour = try #require(try NeighbourEndpoint(for: &place))
        guard case .endpoint(let url) = place.server else {
            Issue.record("\(place.server)")
            return
        }
        #expect(await EndpointRecognition.isEndpoint(at: url, patience: .seconds(5)))
        neighbour.stop()
    }
}
