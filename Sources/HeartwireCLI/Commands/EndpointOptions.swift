/// The arguments of `heartwire endpoint`.
struct EndpointOptions: Sendable, Hashable {
    /// The address to listen on.
    var host: String
    /// The port to listen on; 0 lets the system choose.
    var port: UInt16
    /// A behaviour for every connection, in the words of the URL query, not yet parsed; `nil` lets each
    /// client ask for its own.
    var behaviour: String?
    /// Where the journal goes as JSON Lines: a path, `-` for the standard output, or nowhere.
    var journal: String?

    private static let hostOption = Option.text(
        "host", "ADDRESS", "The address to listen on. Default: 127.0.0.1.")
    private static let portOption = Option.integer(
        "port", "PORT", in: 0...65_535, default: 9_001,
        "The port to listen on; 0 lets the system choose.")
    private static let behaviourOption = Option.text(
        "behaviour", "QUERY", "Behave like this to every client, whatever its URL asks for.")
    private static let journalOption = Option.optionalText(
        "journal", "FILE", implied: "-",
        "Write what happens as JSON Lines to FILE; '-' is the standard output.")

    static let spec = CommandSpec(
        name: "endpoint",
        summary: "Runs a WebSocket server that behaves as each client's URL asks for.",
        options: [
            hostOption.spec, portOption.spec, behaviourOption.spec, journalOption.spec,
        ],
        discussion: """
            The first line of the standard output is the URL that it listens on, such as
            ws://127.0.0.1:9001/. It runs until a signal stops it, or until the reader of its
            output goes away (a broken pipe), which is status 0.

            The query of a client's URL chooses the behaviour:
              pong=on|off|double|wrong|late:MS   how pings are answered
              echo=on|off                        whether messages come back
              hello=COUNTxSIZE                   messages sent at once after the opening
              close=CODE[:REASON][@MS]           close; 'close=none' sends no code
              drop=fin|rst[@MS]                  end the TCP connection without a Close frame
              freeze@MS                          keep the socket, read and answer nothing more
              delay=MS                           wait before the handshake is answered
              refuse=STATUS[&retry-after=S]      answer the handshake with this HTTP status
              refuse=reset|silence|garbage|badaccept
            MS counts from the opening. A query that it does not understand is answered with
            HTTP 400 and a line that says why.

            \(ExitStatus.helpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        host = try parsed.value(of: Self.hostOption) ?? "127.0.0.1"
        port = UInt16(clamping: try parsed.value(of: Self.portOption))
        behaviour = try parsed.value(of: Self.behaviourOption)
        journal = try parsed.value(of: Self.journalOption)
    }
}
