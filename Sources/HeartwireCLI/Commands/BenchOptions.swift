import HeartwireProtocol

/// The arguments of `heartwire bench`.
struct BenchOptions: Sendable, Hashable {
    /// The echo server to measure against; `nil` is an endpoint inside the command.
    var url: WebSocketURL?
    /// How many connections work at once.
    var connections: Int
    /// How many messages each connection sends and gets back.
    var messages: Int
    /// How many bytes a message has.
    var size: Int
    /// How many messages of a connection may be under way at once; 1 measures round trips.
    var window: Int
    /// Whether the result is one JSON object instead of a table.
    var isJSON: Bool

    private static let urlOption = Option.text(
        "url", "URL", "Measure against this echo server instead of the one inside the command.")
    private static let connectionsOption = Option.integer(
        "connections", "COUNT", in: 1...10_000, default: 1, "How many connections work at once.")
    private static let messagesOption = Option.integer(
        "messages", "COUNT", in: 1...1_000_000_000, default: 100_000,
        "How many messages each connection sends and gets back.")
    private static let sizeOption = Option.integer(
        "size", "BYTES", in: 0...(16 << 20), default: 64, "How many bytes a message has.")
    private static let windowOption = Option.integer(
        "window", "COUNT", in: 1...100_000, default: 1,
        "How many messages of a connection may be under way at once.")
    private static let jsonOption = Option.flag("json", "Print one JSON object.")

    static let spec = CommandSpec(
        name: "bench",
        summary: "Measures messages per second, round trips and processor time.",
        options: [
            urlOption.spec, connectionsOption.spec, messagesOption.spec, sizeOption.spec,
            windowOption.spec, jsonOption.spec,
        ],
        discussion: """
            The result goes to the standard output. Numbers from a debug build mean nothing.

            \(ExitStatus.helpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        if let text = try parsed.value(of: Self.urlOption) {
            url = try webSocketURL(text, command: "bench")
        }
        connections = try parsed.value(of: Self.connectionsOption)
        messages = try parsed.value(of: Self.messagesOption)
        size = try parsed.value(of: Self.sizeOption)
        window = try parsed.value(of: Self.windowOption)
        isJSON = try parsed.value(of: Self.jsonOption)
    }
}
