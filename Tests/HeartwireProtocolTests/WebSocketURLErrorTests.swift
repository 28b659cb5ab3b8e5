import HeartwireProtocol
import Testing

@Suite struct WebSocketURLErrorTests {
    static let errors: [(WebSocketURLError, String)] = [
        (.unsupportedScheme, "ws:// or wss://"), (.fragment, "%23"), (.illegalCharacter, "%XX"),
        (.illegalUserInfo, "user information"), (.missingHost, "no host"),
        (.illegalHost, "domain name"), (.illegalPort, "1 to 65535"),
        (.labelTooLong(byteCount: 64), "64 bytes; 63"), (.hostTooLong(byteCount: 254), "254 bytes; 253"),
    ]

    @Test("each error says in one line what to change", arguments: errors)
    func words(error: WebSocketURLError, part: String) {
        #expect(error.description.contains(part))
        #expect(!error.description.contains("\n"))
    }

    @Test("K05-18: an error shows nothing of the URL")
    func secrecy() {
        for text in ["ws://u:canary%@h", "http://canary", "ws://h/canary é", "ws://can ary", "ws://h:canary"] {
            let error = #expect(throws: WebSocketURLError.self) { try WebSocketURL(text) }
            #expect(error.map { String(reflecting: $0).contains("canary") } == false)
        }
    }

    @Test("errors are told apart by what they hold")
    func equality() {
        #expect(Set(Self.errors.map(\.0)).count == Self.errors.count)
        #expect(WebSocketURLError.labelTooLong(byteCount: 64) != .labelTooLong(byteCount: 65))
    }
}
