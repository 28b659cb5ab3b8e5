extension AcceptanceReport {
    /// The report for programs, version 1, one line that ends with LF:
    ///
    ///     {"version":1,"verdict":"pass","scenarios":[{"id":…,"title":…,"verdict":"pass|fail|skip",
    ///      "elapsed_ms":…,"closes":[{"generation":…,"cause":…}],"detail":…}]}
    var json: String {
        let value = JSONText.object([
            "version": .number(1),
            "verdict": .string(verdict.rawValue),
            "scenarios": .array(scenarios.map(\.json)),
        ])
        return value.compact + "\n"
    }
}

extension AcceptanceReport.Scenario {
    fileprivate var json: JSONText {
        .object([
            "id": .string(id),
            "title": .string(title),
            "verdict": .string(verdict.rawValue),
            "elapsed_ms": .number(elapsedMilliseconds),
            "closes": .array(
                closes.map { close in
                    .object([
                        "generation": .number(Int(clamping: close.generation)),
                        "cause": .string(close.cause),
                    ])
                }),
            "detail": .string(detail),
        ])
    }
}
