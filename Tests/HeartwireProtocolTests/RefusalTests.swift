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

    private func needsReceiptTime(_ retryAfter: String?, date: String? = nil) -> Bool {
        var headers: HeaderFields = [:]
        headers["Retry-After"] = retryAfter
        headers["Date"] = date
        return Refusal(status: 503, headers: headers).needsReceiptTime
    }

    @Test("K03-07, R3: a date without a Date beside it counts from when the answer came")
    func withoutDate() {
        let until = "Sun, 06 Nov 1994 08:51:37 GMT"
        #expect(seconds(until, date: nil) == nil, "nobody has told when that was")
        for date in [nil, "yesterday"] as [String?] {
            var headers: HeaderFields = ["Retry-After": until]
            headers["Date"] = date
            var refusal = Refusal(status: 503, headers: headers)
            refusal.receivedSeconds = 784_111_777
            #expect(refusal.retryAfterSeconds == 120)
            refusal.receivedSeconds = 784_111_777 + 121
            #expect(refusal.retryAfterSeconds == 0)
            refusal.receivedSeconds = 0
            #expect(refusal.retryAfterSeconds == 604_800)
        }
        var own = Refusal(status: 503, headers: ["Retry-After": until, "Date": until])
        own.receivedSeconds = 0
        #expect(own.retryAfterSeconds == 0, "what the server says itself goes before")
        #expect(
            seconds("Sun, 6 Nov 1994 08:51:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == nil)
    }

    @Test("L4, R3: the time of receipt is wanted for a date alone, and only where there is no Date")
    func receiptTime() {
        let date = "Sun, 06 Nov 1994 08:51:37 GMT"
        #expect(needsReceiptTime(date))
        #expect(needsReceiptTime(date, date: "yesterday"))
        #expect(!needsReceiptTime(date, date: date))
        #expect(!needsReceiptTime("120"))
        #expect(!needsReceiptTime("soon"))
        #expect(!needsReceiptTime(nil))
    }
}
