import Foundation
import Testing

@testable import HeartwireCLI

private let hostile = "</x>&\"'\u{1B}[2J\u{0}\u{FFFE}\n]]>"

private func scenario(
    _ id: String, _ verdict: AcceptanceReport.ScenarioVerdict,
    closes: [AcceptanceReport.Close] = [],
    detail: String = ""
) -> AcceptanceReport.Scenario {
    .init(
        id: id, title: "title of \(id)", verdict: verdict, elapsedMilliseconds: 1234,
        closes: closes,
        detail: detail)
}

@Suite("AcceptanceReport")
struct AcceptanceReportTests {
    @Test("A2: the verdict is pass only when nothing failed and something passed")
    func verdicts() {
        #expect(AcceptanceReport(scenarios: []).verdict == .fail)
        #expect(AcceptanceReport(scenarios: [scenario("a", .skip)]).verdict == .fail)
        #expect(AcceptanceReport(scenarios: [scenario("a", .pass)]).verdict == .pass)
        #expect(
            AcceptanceReport(scenarios: [scenario("a", .pass), scenario("b", .skip)]).verdict
                == .pass)
        #expect(
            AcceptanceReport(scenarios: [scenario("a", .pass), scenario("b", .fail)]).verdict
                == .fail)
    }

    @Test("the summary counts each outcome")
    func summary() {
        let report = AcceptanceReport(scenarios: [scenario("a", .pass), scenario("b", .skip)])
        #expect(report.summary == "pass: 1 passed, 0 failed, 1 skipped")
    }
}

@Suite("ReportJSON")
struct ReportJSONTests {
    @Test("A2: the report has exactly the members of version 1")
    func format() {
        let close = AcceptanceReport.Close(generation: 1, cause: "no pong in time")
        let report = AcceptanceReport(scenarios: [scenario("a", .pass, closes: [close])])
        #expect(
            report.json == """
                {"version":1,"verdict":"pass","scenarios":[{"id":"a","title":"title of a",\
                "verdict":"pass","elapsed_ms":1234,"closes":[{"generation":1,\
                "cause":"no pong in time"}],"detail":""}]}\n
                """)
    }

    @Test("A2: another reader of JSON gets every string back exactly")
    func roundTrip() throws {
        let close = AcceptanceReport.Close(generation: .max, cause: hostile)
        let report = AcceptanceReport(
            scenarios: [scenario(hostile, .fail, closes: [close], detail: hostile)])
        let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8))
        let root = try #require(object as? [String: Any])
        let scenarios = try #require(root["scenarios"] as? [[String: Any]])
        #expect(scenarios[0]["id"] as? String == hostile)
        #expect(scenarios[0]["detail"] as? String == hostile)
        let closes = try #require(scenarios[0]["closes"] as? [[String: Any]])
        #expect(closes[0]["cause"] as? String == hostile)
    }
}

@Suite("ReportJUnit")
struct ReportJUnitTests {
    @Test("A2: every outcome is a test case with its time, and the suite counts them")
    func format() {
        let close = AcceptanceReport.Close(generation: 2, cause: "closed")
        let report = AcceptanceReport(scenarios: [
            scenario("a", .pass, closes: [close, close]), scenario("b", .fail, detail: "late"),
            scenario("c", .skip, detail: "no endpoint"),
        ])
        #expect(
            report.junit == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="heartwire" tests="3" failures="1" errors="0" skipped="1" time="3.702">
                  <testsuite name="heartwire accept" tests="3" failures="1" errors="0" skipped="1" time="3.702">
                    <testcase classname="heartwire.accept" name="a title of a" time="1.234">
                      <system-out>g2 closed
                g2 closed</system-out>
                    </testcase>
                    <testcase classname="heartwire.accept" name="b title of b" time="1.234">
                      <failure message="late"/>
                    </testcase>
                    <testcase classname="heartwire.accept" name="c title of c" time="1.234">
                      <skipped message="no endpoint"/>
                    </testcase>
                  </testsuite>
                </testsuites>

                """)
    }

    @Test("A2: a list of which nothing passed is an error for a build server too")
    func nothing() {
        let junit = AcceptanceReport(scenarios: [scenario("a", .skip)]).junit
        #expect(junit.contains("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""))
        #expect(junit.contains("<error message=\"no scenario passed\"/>"))
    }

    @Test("no text of a peer leaves its place or is illegal in XML 1.0")
    func escapes() {
        #expect(xmlText(hostile) == "&lt;/x&gt;&amp;&quot;'\\u{1b}[2J\\u{0}\\u{fffe}\\n]]&gt;")
    }

    @Test("times that no clock gives are written all the same")
    func times() {
        var strange = scenario("a", .pass)
        strange.elapsedMilliseconds = .max
        var negative = scenario("b", .pass)
        negative.elapsedMilliseconds = -5
        let junit = AcceptanceReport(scenarios: [strange, strange, negative]).junit
        #expect(junit.contains("time=\"9223372036854775.807\""))
        #expect(junit.contains("name=\"b title of b\" time=\"0.000\""))
    }
}

@Suite("ReportHTML")
struct ReportHTMLTests {
    @Test("A2: the page shows the verdict, and each scenario with its time and its closes")
    func page() {
        let close = AcceptanceReport.Close(generation: 2, cause: "no pong in time")
        let html = AcceptanceReport(scenarios: [
            scenario("a", .pass, closes: [close, close]), scenario("b", .fail, detail: "late"),
        ]).html
        #expect(html.contains("<title>heartwire accept: fail</title>"))
        #expect(html.contains("<h1>fail: 1 passed, 1 failed, 0 skipped</h1>"))
        #expect(
            html.contains(
                "<tr class=\"pass\"><td>pass</td><td>a</td><td>title of a</td><td>1234 ms</td>"
                    + "<td>g2 no pong in time<br>g2 no pong in time</td></tr>"))
        #expect(html.contains("<td>title of b<br><small>late</small></td>"))
        #expect(html.hasSuffix("</html>\n"))
    }

    @Test("no text of a peer becomes markup, and the page loads nothing from elsewhere")
    func escaped() {
        let close = AcceptanceReport.Close(generation: 1, cause: "<script>\(hostile)")
        let html = AcceptanceReport(scenarios: [
            scenario("<img src=x>", .fail, closes: [close], detail: hostile)
        ]).html
        #expect(!html.contains("<script") && !html.contains("<img") && !html.contains("\u{1B}"))
        #expect(!html.contains("http"))
    }
}

@Suite("ReportTable")
struct ReportTableTests {
    @Test("columns are aligned by what a terminal shows, details stand below")
    func aligned() {
        let close = AcceptanceReport.Close(generation: 1, cause: "ok")
        var wide = scenario("世界", .pass, closes: [close])
        wide.elapsedMilliseconds = 5
        let table = AcceptanceReport(scenarios: [
            wide, scenario("abc", .fail, detail: "expected\u{1B} more"),
        ]).table(isColoured: false)
        #expect(
            table == """
                      scenario                    time  closes
                pass  世界      title of 世界     5 ms  g1 ok
                fail  abc       title of abc   1234 ms
                      expected\\u{1b} more

                fail: 1 passed, 1 failed, 0 skipped

                """)
    }

    @Test("only the verdicts are coloured, and only where that is wanted")
    func coloured() {
        let report = AcceptanceReport(scenarios: [
            scenario("a", .pass), scenario("b", .fail), scenario("c", .skip),
        ])
        let table = report.table(isColoured: true)
        #expect(table.contains("\u{1B}[32mpass\u{1B}[0m  a"))
        #expect(table.contains("\u{1B}[31mfail\u{1B}[0m  b"))
        #expect(table.contains("\u{1B}[33mskip\u{1B}[0m  c"))
        #expect(table.hasSuffix("\u{1B}[31mfail\u{1B}[0m: 1 passed, 1 failed, 1 skipped\n"))
        #expect(!report.table(isColoured: false).contains("\u{1B}"))
    }

    @Test("K12-09: a cause that quotes a hostile peer stays one harmless line")
    func hostileCause() {
        let close = AcceptanceReport.Close(generation: 1, cause: hostile)
        let table = AcceptanceReport(scenarios: [scenario("a", .pass, closes: [close])])
            .table(isColoured: false)
        #expect(!table.contains("\u{1B}"))
        #expect(table.split(separator: "\n").count == 3)
    }
}
