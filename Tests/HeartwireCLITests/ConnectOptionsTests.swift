import Heartwire
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireCLI

@Suite("ConnectOptions")
struct ConnectOptionsTests {
    private func connect(_ words: String...) throws -> ConnectOptions? {
        guard case .connect(let options) = try CommandRequest(arguments: ["connect"] + words) else {
            return nil
        }
        return options
    }

    @Test("K12-02: connect lingers after the end of its input unless told to wait for the close")
    func atEnd() throws {
        #expect(try connect("ws://h/")?.atEnd == .linger(.seconds(1)))
        #expect(try connect("ws://h/", "--linger", "0")?.atEnd == .linger(.zero))
        #expect(try connect("ws://h/", "--until-close")?.atEnd == .untilClose)
        #expect(throws: UsageError.self) {
            try connect("ws://h/", "--until-close", "--linger", "1")
        }
    }

    @Test("connect takes header fields in order and trims the blanks before a value")
    func headers() throws {
        let options = try #require(try connect("ws://h/", "--header", "A: b:c", "--header=A:"))
        #expect(options.headers == ["A": "b:c", "A": ""])
    }

    @Test("connect does not repeat a malformed header field, which may be a secret")
    func secretHeader() {
        let error = #expect(throws: UsageError.self) {
            try connect("ws://h/", "--header", "s3cret")
        }
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("K12-01: a wrong URL is misuse, and is not repeated: it may hold a password")
    func wrongURL() {
        let error = #expect(throws: UsageError.self) { try connect("http://u:s3cret@h/") }
        #expect(error?.description.hasPrefix("heartwire connect: the URL cannot be used: ") == true)
        #expect(error?.description.contains("s3cret") == false)
        #expect(throws: UsageError.self) { try connect("ws://h/#f") }
    }

    @Test("a header field or a subprotocol that no request may carry is misuse")
    func wrongRequest() throws {
        #expect(throws: UsageError.self) { try connect("ws://h/", "--header", "Upgrade: x") }
        #expect(throws: UsageError.self) { try connect("ws://h/", "--header", "A: b\r\nC: d") }
        #expect(throws: UsageError.self) { try connect("ws://h/", "--subprotocol", "a,a") }
    }

    @Test("connect can do without a heartbeat, and needs a URL")
    func connectRest() throws {
        #expect(
            try connect("ws://h/")?.heartbeat
                == .init(interval: .seconds(20), timeout: .seconds(10)))
        let options = try #require(
            try connect(
                "--binary", "--no-heartbeat", "ws://h/", "--format=raw", "--subprotocol", "a,b"))
        #expect(options.heartbeat == nil && options.isBinary && options.format == .raw)
        #expect(options.url.host == "h" && options.subprotocols == ["a", "b"])
        #expect(throws: UsageError.self) { try connect() }
    }

    @Test("a lost connection is made anew unless that is turned off")
    func reconnect() throws {
        #expect(try connect("ws://h/")?.isReconnecting == true)
        let options = try #require(try connect("ws://h/", "--no-reconnect"))
        #expect(!options.isReconnecting)
        #expect(options.configuration(journal: nil).reconnect == nil)
    }

    @Test(
        "P3: a wss server is checked unless --insecure says otherwise, by --ca instead of the system"
    )
    func secure() throws {
        let plain = try #require(try connect("wss://h/"))
        #expect(plain.tls == ClientTLSOptions())
        #expect(try plain.tls.configuration() == TLSConfiguration())
        let insecure = try #require(try connect("wss://h/", "--insecure"))
        #expect(try insecure.tls.configuration().acceptsAnyCertificate)
        let own = try #require(try connect("wss://h/", "--ca", "/does/not/exist"))
        let failure = #expect(throws: TextFile.Failure.self) { try own.tls.configuration() }
        #expect(failure?.description.contains("cannot read /does/not/exist") == true)
        let pin = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let pinned = try #require(try connect("wss://h/", "--pin", pin))
        #expect(try pinned.tls.configuration().pins.map { "\($0)" } == [pin])
    }

    @Test("P3: --cert shows a certificate, whose key is in --key or in the same file")
    func identity() throws {
        #expect(try connect("wss://h/", "--cert", "a")?.tls.identity?.key == "a")
        let options = try #require(try connect("wss://h/", "--cert=a", "--key=b"))
        #expect(options.tls.identity == IdentityFiles(certificate: "a", key: "b"))
        #expect(throws: TextFile.Failure.self) { try options.tls.configuration() }
    }

    @Test("P3: options of TLS for a ws URL, or against each other, are misuse")
    func misusedTLS() {
        for words in [
            ["ws://h/", "--insecure"], ["ws://h/", "--ca", "f"], ["wss://h/", "--pin", "x"],
            ["wss://h/", "--ca", "f", "--insecure"], ["ws://h/", "--cert", "f"],
            ["wss://h/", "--key", "f"], ["wss://h/", "--cert="],
        ] {
            #expect(throws: UsageError.self) {
                try CommandRequest(arguments: ["connect"] + words)
            }
        }
    }

    @Test("P3, P6: options of TLS hold for where redirects may lead")
    func tlsBehindRedirect() throws {
        let options = try #require(
            try connect("ws://h/", "--follow-redirects", "--ca", "/does/not/exist"))
        #expect(throws: TextFile.Failure.self) { try options.tls.configuration() }
    }

    @Test("every setting of the client's comes from its option")
    func configuration() throws {
        let options = try #require(
            try connect(
                "ws://h/", "--interval", "3s", "--timeout=700ms", "--connect-timeout", "2s",
                "--close-timeout", "250", "--header", "A: b", "--subprotocol", "a,b"))
        let configuration = options.configuration(journal: nil)
        #expect(configuration.heartbeat == .every(.seconds(3), timeout: .milliseconds(700)))
        #expect(configuration.connectTimeout == .seconds(2))
        #expect(configuration.closeTimeout == .milliseconds(250))
        #expect(configuration.headers == ["A": "b"] && configuration.subprotocols == ["a", "b"])
        #expect(configuration.reconnect == ReconnectPolicy())
        #expect(configuration.journal == nil)
        let silent = try #require(try connect("ws://h/", "--no-heartbeat"))
        #expect(silent.configuration(journal: nil).heartbeat == nil)
    }

    @Test("the journal goes to a file, whose name cannot be empty")
    func journal() throws {
        #expect(try connect("ws://h/")?.journal == nil)
        #expect(try connect("ws://h/", "--journal", "j.jsonl")?.journal == "j.jsonl")
        #expect(throws: UsageError.self) { try connect("ws://h/", "--journal=") }
    }
}
