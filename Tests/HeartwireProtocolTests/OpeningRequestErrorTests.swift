import HeartwireProtocol
import Testing

@Suite struct OpeningRequestErrorTests {
    static let errors: [(OpeningRequestError, String)] = [
        (.illegalHeaderName(position: 2), "header 2: the name must be a token"),
        (.illegalHeaderValue(name: "X"), "header X: the value must not hold CR, LF, NUL"),
        (.reservedHeader(name: "Upgrade"), "header Upgrade: the opening handshake writes it"),
        (
            .reservedHeader(name: "Proxy-authorization"),
            "header Proxy-authorization: it would go to"
        ),
        (.repeatedHost, "header Host: it can be given once"),
        (.illegalHost, "header Host: it must be a host"),
        (.repeatedCookie, "header Cookie: it can be given once"),
        (.illegalSubprotocol(position: 0), "subprotocol 0: it must be a token"),
        (.duplicateSubprotocol("mqtt"), "subprotocol mqtt: it is listed twice"),
    ]

    @Test("each error says in one line what to change", arguments: errors)
    func words(error: OpeningRequestError, beginning: String) {
        #expect(error.description.hasPrefix(beginning))
        #expect(!error.description.contains("\n"))
    }

    @Test("errors are told apart by what they hold")
    func equality() {
        #expect(Set(Self.errors.map(\.0)).count == Self.errors.count)
        #expect(
            OpeningRequestError.illegalHeaderName(position: 1) != .illegalHeaderName(position: 2))
    }
}
