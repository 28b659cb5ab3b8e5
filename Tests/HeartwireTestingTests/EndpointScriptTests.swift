import HeartwireProtocol
import HeartwireTesting
import Testing

@Suite struct EndpointScriptTests {
    private static let silent: EndpointBehaviour = {
        var behaviour = EndpointBehaviour()
        behaviour.echoes = false
        return behaviour
    }()

    private static func refusing(_ status: Int) -> EndpointBehaviour {
        var behaviour = EndpointBehaviour()
        behaviour.refusal = .status(status, retryAfterSeconds: nil)
        return behaviour
    }

    @Test("By default the query of each client's URL decides")
    func byQuery() throws {
        let world = World()
        #expect(try world.open("/?refuse=403").refusal?.status == 403)
        #expect(try world.open("/?refuse=500").refusal?.status == 500)
        #expect(try world.open("/").isOpen)
    }

    @Test("byQueryElse asks the query where there is one, be it empty, and else treats alike")
    func byQueryElse() throws {
        let world = World(.byQueryElse(Self.refusing(418)))
        #expect(try world.open("/path").refusal?.status == 418)
        #expect(try world.open("/?refuse=403").refusal?.status == 403)
        #expect(try world.open("/?").isOpen)
        #expect(try world.open("/?nonsense").refusal?.status == 400)
    }

    @Test("always treats every connection alike, whatever its query asks for")
    func always() throws {
        let world = World(.always(Self.refusing(418)))
        #expect(try world.open("/").refusal?.status == 418)
        #expect(try world.open("/?refuse=403&nonsense").refusal?.status == 418)
    }

    @Test("sequence goes by the number of the connection, and then by its rest")
    func sequence() throws {
        let world = World(
            .sequence([Self.refusing(503), Self.refusing(502)], then: .byQuery))
        #expect(try world.open("/").refusal?.status == 503)
        #expect(try world.open("/?refuse=403").refusal?.status == 502)
        #expect(try world.open("/?refuse=403").refusal?.status == 403)
        #expect(try world.open("/").isOpen)
    }

    @Test("An empty sequence is its rest")
    func emptySequence() throws {
        let world = World(.sequence([], then: .always(Self.silent)))
        let peer = try world.open()
        try peer.send(.text("x"))
        #expect(peer.messages.isEmpty)
    }

    @Test("custom is asked with the connection's number and what the client asked for")
    func custom() throws {
        let log = Log()
        let world = World(
            .custom { number, request in
                log.add("\(number) \(request.target) \(request.subprotocols)")
                return number == 1 ? Self.refusing(410) : EndpointBehaviour()
            })
        #expect(try world.open("/one").refusal?.status == 410)
        #expect(try world.open("/two?x", subprotocols: ["chat"]).isOpen)
        #expect(log.lines == ["1 /one []", "2 /two?x [\"chat\"]"])
    }

    @Test("A script can be changed between two connections")
    func changed() throws {
        let world = World()
        #expect(try world.open().isOpen)
        world.endpoint.script = .always(Self.refusing(503))
        #expect(try world.open().refusal?.status == 503)
    }
}
