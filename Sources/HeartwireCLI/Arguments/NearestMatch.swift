/// The candidate that somebody who typed `word` most likely meant, or `nil` when none is near.
///
/// Near means: at most one edit for every three characters, at least one, where an edit is an
/// insertion, a removal, a replacement or a swap of neighbours; or the only candidate that begins
/// with `word`.
func nearestMatch(to word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased())
    // Longer words than any candidate could match are not worth a table of their size.
    guard !typed.isEmpty, typed.count <= 64 else { return nil }
    let begun = candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }
    if begun.count == 1 { return begun[0] }

    let reach = max(1, typed.count / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let distance = editDistance(typed, Array(candidate.lowercased()))
        if distance <= reach, distance < best?.distance ?? .max {
            best = (candidate, distance)
        }
    }
    return best?.candidate
}

/// The words ` (did you mean 'x'?)`, or nothing when no candidate is near.
func suggestion(for word: String, among candidates: [String], prefix: String = "") -> String {
    guard let match = nearestMatch(to: word, among: candidates) else { return "" }
    return " (did you mean '\(prefix)\(match)'?)"
}

/// Optimal string alignment: the fewest edits that make `right` of `left`.
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, leftCharacter) in left.enumerated() {
        var current = [row + 1]
        for (column, rightCharacter) in right.enumerated() {
            let replaced = last[column] + (leftCharacter == rightCharacter ? 0 : 1)
            var fewest = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, leftCharacter == right[column - 1],
                left[row - 1] == rightCharacter
            {
                fewest = min(fewest, beforeLast[column - 1] + 1)
            }
            current.append(fewest)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
