import HeartwireProtocol
import HeartwireSession
import Testing

@Suite("TLSConfiguration: how a server is checked")
struct TLSConfigurationTests {
    @Test("P3: the default checks everything, by the system's trust, from TLS 1.2 on")
    func defaults() {
        let configuration = TLSConfiguration()
        #expect(configuration.trust == .system)
        #expect(configuration.minimumVersion == .tls12)
        #expect(configuration.identity == nil)
        #expect(configuration.pins.isEmpty)
        #expect(!configuration.acceptsAnyCertificate)
    }

    @Test("P3: only the function that says so switches the checks off")
    func dangerous() {
        var configuration = TLSConfiguration()
        configuration.dangerouslyAcceptAnyCertificate()
        #expect(configuration.acceptsAnyCertificate)
        #expect(configuration != TLSConfiguration())
    }

    @Test("J1: a private key stands neither in a description nor in a dump")
    func secrets() {
        let identity = TLSIdentity(certificates: "CHAIN", privateKey: "SECRET")
        var configuration = TLSConfiguration()
        configuration.identity = identity
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(identity, to: &dumped)
        for text in ["\(identity)", "\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("SECRET"))
        }
        #expect("\(identity)" == "TLSIdentity")
        #expect(identity.certificates == "CHAIN")
        #expect(identity.privateKey == "SECRET")
    }

    @Test("P3: a pin is 32 bytes, or those in Base64 with or without its prefix")
    func pins() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let pin = try #require(PublicKeyPin(sha256: bytes))
        #expect(pin.sha256 == bytes)
        #expect("\(pin)" == "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(PublicKeyPin("\(pin)") == pin)
        #expect(PublicKeyPin("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=") == pin)
        for text in [
            "", "sha256/", "sha256/AAEC", "sha1/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "?",
        ] {
            #expect(PublicKeyPin(text) == nil)
        }
        #expect(PublicKeyPin(sha256: Array(bytes.dropLast())) == nil)
        #expect(PublicKeyPin(sha256: bytes + [0]) == nil)
    }

    @Test("R4: a request says nothing about TLS unless it is told to")
    func request() throws {
        var request = try ConnectionRequest(url: try WebSocketURL("wss://a.test/"))
        #expect(request.tls == nil)
        request.tls = TLSConfiguration()
        #expect(request.tls == TLSConfiguration())
    }
}
