import Testing

@testable import HeartwireCLI

@Suite struct AutobahnPagesTests {
    private let pages = AutobahnPages(base: "ws://127.0.0.1:9001", agent: "heartwire")

    @Test("Each page does one thing to whoever connects")
    func pagesOfTheServer() {
        #expect(pages.caseCount == "ws://127.0.0.1:9001/getCaseCount")
        #expect(pages.updateReports == "ws://127.0.0.1:9001/updateReports?agent=heartwire")
    }

    @Test("A case is asked for by its place, or by the suite's own name for it")
    func cases() {
        #expect(
            pages.run(.number(12)) == "ws://127.0.0.1:9001/runCase?case=12&agent=heartwire")
        #expect(
            pages.run(.id("9.1.1"))
                == "ws://127.0.0.1:9001/runCase?casetuple=9.1.1&agent=heartwire")
        #expect("\(AutobahnCase.number(12)) \(AutobahnCase.id("9.1.1"))" == "12 9.1.1")
    }

    @Test("RFC 3986 2.1: an agent's name may hold anything and is percent-encoded")
    func agent() {
        let page = { AutobahnPages(base: "ws://h", agent: $0).updateReports }
        #expect(page("aZ09-._~") == "ws://h/updateReports?agent=aZ09-._~")
        #expect(page("a b&c=d/é\n") == "ws://h/updateReports?agent=a%20b%26c%3Dd%2F%C3%A9%0A")
        #expect(page("") == "ws://h/updateReports?agent=")
    }
}
