import HeartwireProtocol
import HeartwireTesting
import Testing

@testable import HeartwireCLI

private func endpoint(_ words: String...) throws -> EndpointOptions? {
    guard case .endpoint(let options) = try CommandRequest(arguments: ["endpoint"] + words) else {
        return nil
    }
    return options
}

@Suite("EndpointOptions")
struct EndpointOptionsTests {
    @Test("A1: without arguments it listens on a free port of 127.0.0.1 and behaves well")
    func defaults() throws {
        let options = try #require(try endpoint())
        #expect(options.host == "127.0.0.1" && options.port == 0 && !options.isQuiet)
        #expect(options.behaviour == EndpointBehaviour())
    }

    @Test("the port is within its bounds")
    func port() throws {
        #expect(try endpoint("--port", "65535")?.port == 65_535)
        #expect(throws: UsageError.self) { try endpoint("--port=65536") }
        #expect(throws: UsageError.self) { try endpoint("--port=-1") }
    }

    @Test("localhost is a name for 127.0.0.1; other addresses are taken as they are")
    func host() throws {
        #expect(try endpoint("--host", "localhost")?.host == "127.0.0.1")
        #expect(try endpoint("--host", "::1")?.host == "::1")
    }

    @Test("A1: the behaviour is a query, with or without its mark")
    func behaviour() throws {
        var expected = EndpointBehaviour()
        expected.pong = .off
        expected.echoes = false
        #expect(try endpoint("--behaviour", "pong=off&echo=off")?.behaviour == expected)
        #expect(try endpoint("--behaviour", "?pong=off&echo=off")?.behaviour == expected)
    }

    @Test("A1: a behaviour that there is not is misuse with a line that says why")
    func wrongBehaviour() {
        let error = #expect(throws: UsageError.self) { try endpoint("--behaviour", "pong=maybe") }
        #expect(
            error?.description
                == "heartwire endpoint: --behaviour: pong: expected on, off, double, wrong or late:MS; "
                + "see 'heartwire endpoint --help'")
    }

    @Test("A1: TLS has a certificate of its own making unless a certificate and its key are given")
    func secure() throws {
        #expect(try endpoint()?.tls == nil)
        let made = try #require(try endpoint("--tls")?.tls)
        #expect(made.files == nil && made.copy == nil)
        #expect(try made.server().line.contains("key sha256/"))
        let given = try endpoint("--tls", "--cert", "a", "--key", "b", "--write-cert", "c")?.tls
        #expect(given?.files == IdentityFiles(certificate: "a", key: "b"))
        #expect(given?.copy == "c")
        #expect(throws: TextFile.Failure.self) { try given?.server() }
        for words in [
            ["--cert", "a"], ["--write-cert", "c"], ["--client-ca", "c"], ["--tls", "--key", "b"],
        ] {
            #expect(throws: UsageError.self) {
                try CommandRequest(arguments: ["endpoint"] + words)
            }
        }
        let asking = try #require(try endpoint("--tls", "--client-ca", "/does/not/exist")?.tls)
        #expect(throws: TextFile.Failure.self) { try asking.server() }
        let unwritable = try #require(try endpoint("--tls", "--write-cert", "/does/not/exist")?.tls)
        #expect(throws: EndpointTLSOptions.UnwrittenCopy.self) { try unwritable.server() }
    }

    @Test("A1: the behaviour is for clients whose URL has no query, the others are asked")
    func script() throws {
        let options = try #require(try endpoint("--behaviour", "echo=off"))
        func behaviour(_ target: String) throws -> EndpointBehaviour {
            try options.script.behaviour(connection: 1, request: head(target))
        }
        #expect(try !behaviour("/").echoes)
        #expect(try behaviour("/?pong=off").echoes)
        #expect(try behaviour("/?").echoes)
        #expect(throws: EndpointBehaviourError.self) { try behaviour("/?x=1") }
    }
}

private func head(_ target: String) -> OpeningRequestHead {
    OpeningRequestHead(
        target: target, headers: [:], host: "h", key: "", subprotocols: [], extensions: [])
}
