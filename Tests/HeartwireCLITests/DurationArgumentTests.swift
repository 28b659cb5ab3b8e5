import Testing

@testable import HeartwireCLI

@Suite("DurationArgument")
struct DurationArgumentTests {
    @Test(
        "a duration is a number with its unit, and a plain number counts milliseconds",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)),
            ("1.5s", .milliseconds(1500)),
            ("3m", .seconds(180)), ("250", .milliseconds(250)), ("0", .zero),
            ("0.5", .microseconds(500)),
            ("0.000000001s", .nanoseconds(1)), ("1.5m", .seconds(90)), ("007s", .seconds(7)),
            ("9223372036s", .seconds(9_223_372_036)),
        ])
    func accepted(text: String, duration: Duration) throws {
        #expect(try DurationArgument.parse(text) == duration)
    }

    @Test(
        "anything else is refused, and so is what would overflow",
        arguments: [
            "", "s", "ms", ".5s", "1.s", "1.2.3s", "-1s", "+1s", "1e3", "1 s", "1h", "1S", "٣s",
            "0x10",
            "0.0000000001s", "9223372037s", "9223372036.9s", "99999999999999999999", "153722868m",
        ])
    func refused(text: String) {
        #expect(throws: ValueProblem.self) { try DurationArgument.parse(text) }
    }

    @Test("what overflows is told apart from what is no duration")
    func overflow() {
        let problem = #expect(throws: ValueProblem.self) {
            try DurationArgument.parse("9223372037s")
        }
        #expect(problem?.expected.hasSuffix("of at most 292 years") == true)
    }

    @Test("a duration is written in whole seconds where that is exact, else in milliseconds")
    func text() {
        #expect(DurationArgument.text(.seconds(20)) == "20s")
        #expect(DurationArgument.text(.milliseconds(1500)) == "1500ms")
        #expect(DurationArgument.text(.zero) == "0ms")
    }

    @Test("milliseconds are whole, and the largest durations are held within an Int")
    func milliseconds() {
        #expect(Duration.microseconds(1999).milliseconds == 1)
        #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).milliseconds == .max)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).milliseconds == .min)
    }
}
