import HeartwireProtocol
import Testing

@Suite struct RefusalTests {
    static let waits: [(String, Int?)] = [
        ("0", 0), ("120", 120), ("007", 7), ("604800", 604_800), ("604801", 604_800),
        ("99999999999999999999999999", 604_800), ("", nil), ("-1", nil), ("+1", nil), ("1.5", nil),
        ("1 ", nil), ("soon", nil), ("Wed, 21 Oct 2015 07:28:00 GMT", nil), ("１", nil),
    ]

    @Test("R3: Retry-After in seconds is honoured up to a week, all else is nil", arguments: waits)
    func retryAfter(value: String, seconds: Int?) {
        #expect(Refusal(status: 503, headers: ["retry-after": value]).retryAfterSeconds == seconds)
    }

    @Test("R3: without Retry-After there is no wait, and of two the first counts")
    func retryAfterFields() {
        #expect(Refusal(status: 503).retryAfterSeconds == nil)
        let two: HeaderFields = ["Retry-After": "1", "retry-after": "2"]
        #expect(Refusal(status: 503, headers: two).retryAfterSeconds == 1)
    }

    @Test("the description is the status and the phrase, with nothing that steers a terminal")
    func description() {
        #expect(
            "\(Refusal(status: 403, reasonPhrase: "Forbidden"))"
                == "the server answered HTTP 403 Forbidden")
        #expect("\(Refusal(status: 599))" == "the server answered HTTP 599")
        var moved = Refusal(status: 302)
        moved.redirectFault = .loop
        #expect(
            "\(moved)"
                == "the server answered HTTP 302, which was not followed: \(RedirectFault.loop)")
        #expect(
            "\(Refusal(status: 400, reasonPhrase: "a\u{1B}b\nc"))"
                == "the server answered HTTP 400 a\\u{1b}b\\nc")
    }

    @Test("J1: the description shows neither headers nor body")
    func secrecy() {
        let refusal = Refusal(
            status: 401, headers: ["Set-Cookie": "canary"], body: Array("canary".utf8))
        #expect(!String(reflecting: refusal).contains("canary"))
        #expect(refusal.body == Array("canary".utf8))
    }
}

@Suite struct RefusalDateTests {
    private func seconds(_ retryAfter: String, date: String?) -> Int? {
        var headers: HeaderFields = ["Retry-After": retryAfter]
        headers["Date"] = date
        return Refusal(status: 503, headers: headers).retryAfterSeconds
    }

    @Test("R3: a date counts from the answer's own Date")
    func dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(seconds("Sun, 06 Nov 1994 08:51:37 GMT", date: date) == 120)
        #expect(seconds(date, date: date) == 0)
        #expect(seconds("Sun, 06 Nov 1994 08:00:00 GMT", date: date) == 0)
        #expect(seconds("Fri, 31 Dec 9999 23:59:59 GMT", date: date) == 604_800)
    }

    @Test("R3: a date is worth nothing without a Date beside it")
    func withoutDate() {
        #expect(seconds("Sun, 06 Nov 1994 08:51:37 GMT", date: nil) == nil)
        #expect(seconds("Sun, 06 Nov 1994 08:51:37 GMT", date: "yesterday") == nil)
        #expect(
            seconds("Sun, 6 Nov 1994 08:51:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == nil)
    }
}
