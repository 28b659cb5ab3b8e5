/// The forms in which a report can be had.
enum ReportFormat: String, Sendable, Hashable, CaseIterable {
    /// For people.
    case table
    /// For programs: version 1, one line.
    case json
    /// For build servers.
    case junit
    /// For a browser: one page with nothing beside it.
    case html
}

extension AcceptanceReport {
    /// The report in this form. Ends with LF.
    ///
    /// - Parameter isColoured: Whether a table's verdicts are coloured.
    func text(as format: ReportFormat, isColoured: Bool = false) -> String {
        switch format {
        case .table: table(isColoured: isColoured)
        case .json: json
        case .junit: junit
        case .html: html
        }
    }
}
