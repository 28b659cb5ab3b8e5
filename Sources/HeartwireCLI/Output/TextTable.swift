/// A table for people whose first column is text and whose others are numbers.
enum TextTable {
    /// The lines, each with LF.
    static func text(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head] + rows
        let widths = head.indices.map { column in
            lines.map { displayWidth($0[column]) }.max() ?? 0
        }
        return lines.map { line($0, widths) + "\n" }.joined()
    }

    /// The first cell ends with the gap, the others, which are numbers, begin with it.
    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        zip(cells, widths).enumerated().map { column, cell in
            let gap = String(repeating: " ", count: cell.1 - displayWidth(cell.0))
            return column == 0 ? cell.0 + gap : gap + cell.0
        }.joined(separator: "  ")
    }
}
