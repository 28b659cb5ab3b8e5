/// How `connect` writes messages to the standard output.
enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    /// A text message and LF; a binary message's bytes with nothing added.
    case plain
    /// The bytes of every message with nothing added.
    case raw
    /// One JSON object a line, from which every message can be had back exactly.
    case json
}
