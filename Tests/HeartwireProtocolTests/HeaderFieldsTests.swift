import HeartwireProtocol
import Testing

@Suite struct HeaderFieldsTests {
    @Test("RFC 9110 5.1: names are found in any case, and the first field counts")
    func lookup() {
        let headers: HeaderFields = ["Set-Cookie": "a", "X": "1", "set-cookie": "b"]
        #expect(headers["SET-COOKIE"] == "a")
        #expect(headers["x"] == "1")
        #expect(headers["y"] == nil)
        #expect(headers.all("Set-Cookie") == ["a", "b"])
        #expect(headers.all("y").isEmpty)
    }

    @Test("RFC 9110 5.3: order and repetitions are kept as they were written")
    func order() {
        var headers: HeaderFields = [:]
        #expect(headers.isEmpty)
        headers.append("B", "1")
        headers.append("a", "2")
        headers.append("b", "3")
        #expect(headers.count == 3)
        #expect(headers.map(\.name) == ["B", "a", "b"])
        #expect(headers.map(\.value) == ["1", "2", "3"])
    }

    @Test("setting a field replaces the first and removes the name's others")
    func replacement() {
        var headers: HeaderFields = ["A": "1", "B": "2", "a": "3"]
        headers["a"] = "4"
        #expect(headers.map(\.value) == ["4", "2"])
        headers["C"] = "5"
        #expect(headers.map(\.value) == ["4", "2", "5"])
        headers["b"] = nil
        #expect(headers.map(\.value) == ["4", "5"])
        headers["none"] = nil
        #expect(headers.count == 2)
    }

    @Test("fields are equal when names in any case, values and order are")
    func equality() {
        let one: HeaderFields = ["Host": "h", "X": "1"]
        #expect(one == ["host": "h", "x": "1"])
        #expect(Set<HeaderFields>([one, ["HOST": "h", "x": "1"]]).count == 1)
        #expect(one != ["X": "1", "Host": "h"])
        #expect(one != ["Host": "H", "X": "1"])
        #expect(one != ["Host": "h", "Y": "1"])
        #expect(one != HeaderFields())
    }

    @Test(
        "K05-13: a name that is no token is refused, and only its position is told",
        arguments: ["", "X y", "X:", "X\r\nY", "X\0", "é", "(x)", "\"x\""])
    func illegalName(name: String) {
        let headers: HeaderFields = ["A": "1", name: "2"]
        #expect(throws: OpeningRequestError.illegalHeaderName(position: 1)) {
            try headers.validate()
        }
    }

    @Test(
        "K05-13: a value with a control character is refused, and its value is not told",
        arguments: ["a\r\nX: y", "a\rb", "a\nb", "a\0b", "\u{1B}", "\u{7F}"])
    func illegalValue(value: String) throws {
        let headers: HeaderFields = ["X": value]
        let error = #expect(throws: OpeningRequestError.self) { try headers.validate() }
        #expect(error == .illegalHeaderValue(name: "X"))
        #expect(error.map { "\($0)".contains(value) } == false)
    }

    @Test(
        "RFC 9110 5.5: tabs, spaces, the empty value and text beyond ASCII are lawful",
        arguments: ["", " ", "a\tb", "é", "~!\"(),/:;"])
    func lawfulValue(value: String) throws {
        let headers: HeaderFields = ["X": value]
        try headers.validate()
    }

    @Test("J1: the description names the fields and never shows a value")
    func description() {
        let headers: HeaderFields = ["Host": "h", "Authorization": "Bearer canary", "\u{1B}": "x"]
        #expect("\(headers)" == "[Host, Authorization, \\u{1b}]")
        #expect(!String(reflecting: headers).contains("canary"))
        #expect("\(HeaderFields())" == "[]")
    }
}
