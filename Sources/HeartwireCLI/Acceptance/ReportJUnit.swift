extension AcceptanceReport {
    /// The report for build servers: one JUnit suite with a test case for each scenario.
    ///
    /// A list of which nothing ran carries one error, as its verdict is a failure.
    var junit: String {
        let total = scenarios.reduce(0) { sum, scenario in
            let (more, overflow) = sum.addingReportingOverflow(scenario.elapsedMilliseconds)
            return overflow ? .max : more
        }
        let provedNothing = verdict == .fail && count(of: .fail) == 0
        let tests = scenarios.count + (provedNothing ? 1 : 0)
        let counts =
            "tests=\"\(tests)\" failures=\"\(count(of: .fail))\" "
            + "errors=\"\(provedNothing ? 1 : 0)\" skipped=\"\(count(of: .skip))\" "
            + "time=\"\(seconds(total))\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"heartwire\" \(counts)>",
            "  <testsuite name=\"heartwire accept\" \(counts)>",
        ]
        lines += scenarios.flatMap(testCase)
        if provedNothing {
            lines.append(
                "    <testcase classname=\"heartwire.accept\" name=\"verdict\" time=\"0.000\">")
            lines.append("      <error message=\"no scenario passed\"/>")
            lines.append("    </testcase>")
        }
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func testCase(_ scenario: Scenario) -> [String] {
        let name = xmlText("\(scenario.id) \(scenario.title)")
        let head =
            "    <testcase classname=\"heartwire.accept\" name=\"\(name)\" "
            + "time=\"\(seconds(scenario.elapsedMilliseconds))\">"
        var lines = [head]
        switch scenario.verdict {
        case .pass: break
        case .fail: lines.append("      <failure message=\"\(xmlText(scenario.detail))\"/>")
        case .skip: lines.append("      <skipped message=\"\(xmlText(scenario.detail))\"/>")
        }
        if !scenario.closes.isEmpty {
            let closes = scenario.closes.map { xmlText("g\($0.generation) \($0.cause)") }
            lines.append("      <system-out>\(closes.joined(separator: "\n"))</system-out>")
        }
        lines.append("    </testcase>")
        return lines
    }
}

/// Milliseconds as JUnit wants them: seconds with three decimals, never negative.
private func seconds(_ milliseconds: Int) -> String {
    let (whole, rest) = max(0, milliseconds).quotientAndRemainder(dividingBy: 1000)
    let digits = "\(rest)"
    return "\(whole).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
}

/// `text` for an attribute or an element. What XML 1.0 cannot hold at all, or a viewer should not
/// be sent, stands as a visible escape.
func xmlText(_ text: String) -> String {
    var safe = ""
    for scalar in displaySafe(text).unicodeScalars {
        switch scalar {
        case "&": safe += "&amp;"
        case "<": safe += "&lt;"
        case ">": safe += "&gt;"
        case "\"": safe += "&quot;"
        case "\u{FFFE}", "\u{FFFF}": safe += "\\u{\(String(scalar.value, radix: 16))}"
        default: safe.unicodeScalars.append(scalar)
        }
    }
    return safe
}
