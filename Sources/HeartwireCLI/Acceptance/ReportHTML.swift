extension AcceptanceReport {
    /// The report as one page that needs nothing beside it: no script, no style sheet, no font from elsewhere. Ends with LF.
    var html: String {
        let rows = scenarios.map { scenario in
            let closes = scenario.closes.map { xmlText("g\($0.generation) \($0.cause)") }
            let title = xmlText(scenario.title)
            let detail =
                scenario.detail.isEmpty ? "" : "<br><small>\(xmlText(scenario.detail))</small>"
            return """
                <tr class="\(scenario.verdict.rawValue)"><td>\(scenario.verdict.rawValue)</td>\
                <td>\(xmlText(scenario.id))</td><td>\(title)\(detail)</td>\
                <td>\(scenario.elapsedMilliseconds) ms</td>\
                <td>\(closes.joined(separator: "<br>"))</td></tr>
                """
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>heartwire accept: \(verdict.rawValue)</title>
            <style>
            body { font: 16px/1.4 sans-serif; margin: 2em; color-scheme: light dark }
            table { border-collapse: collapse }
            th, td { padding: .3em .8em; text-align: left; vertical-align: top }
            tr + tr { border-top: 1px solid #8886 }
            td:nth-child(4) { text-align: right; white-space: nowrap }
            .pass td:first-child { color: #18794e }
            .fail td:first-child { color: #cd2b31; font-weight: bold }
            .skip td:first-child { color: #ad5700 }
            </style>
            </head>
            <body>
            <h1>\(xmlText(summary))</h1>
            <table>
            <tr><th></th><th>scenario</th><th></th><th>time</th><th>closes</th></tr>
            \(rows.joined(separator: "\n"))
            </table>
            </body>
            </html>

            """
    }
}
