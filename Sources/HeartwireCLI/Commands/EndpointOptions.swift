import HeartwireTesting

/// The arguments of `heartwire endpoint`.
struct EndpointOptions: Sendable, Hashable {
    /// The numeric address to listen on.
    var host: String
    /// The port to listen on; 0 lets the system choose.
    var port: UInt16
    /// What is done with clients whose URL has no query.
    var behaviour: EndpointBehaviour
    /// Whether nothing but the URL is printed.
    var isQuiet: Bool
    /// How TLS is spoken; `nil` for plain TCP.
    var tls: EndpointTLSOptions?

    private static let hostOption = Option.text(
        "host", "ADDRESS", "The address to listen on. Default: 127.0.0.1.")
    private static let portOption = Option.integer(
        "port", "PORT", in: 0...65_535, default: 0,
        "The port to listen on; 0 lets the system choose.")
    private static let behaviourOption = Option.text(
        "behaviour", "QUERY", "What is done with clients whose URL has no query.")
    private static let quietOption = Option.flag("quiet", "Print no journal.")

    static let spec = CommandSpec(
        name: "endpoint",
        summary: "Runs a WebSocket server that behaves as each client's URL asks for.",
        options: [hostOption.spec, portOption.spec, behaviourOption.spec, quietOption.spec]
            + EndpointTLSOptions.options,
        discussion: """
            The first line of the standard output is 'listening ' and the URL, such as
            'listening ws://127.0.0.1:9001/'. Its journal follows, one JSON object a line. It
            runs until a signal stops it, or until the reader of its output goes away (a broken
            pipe), which is status 0. When it stops, it closes what is open with 1001.

            With --tls the URL begins with wss://, and a line on the standard error tells the
            certificate's SHA-256 hash, and its key's for 'heartwire connect --pin'.

            The query of a client's URL chooses the behaviour:
              pong=on|off|double|wrong|late:MS   how pings are answered
              echo=on|off|all                    whether messages come back; all: to the other
                                                 clients that asked for it, too
              deflate=on|off                     whether an offer of compression is accepted
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
        let host = try parsed.value(of: Self.hostOption) ?? "127.0.0.1"
        self.host = host == "localhost" ? "127.0.0.1" : host
        port = UInt16(clamping: try parsed.value(of: Self.portOption))
        let query = try parsed.value(of: Self.behaviourOption) ?? ""
        do throws(EndpointBehaviourError) {
            behaviour = try EndpointBehaviour(
                target: query.hasPrefix("?") ? "/\(query)" : "/?\(query)")
        } catch {
            throw UsageError("--behaviour: \(error)", command: "endpoint")
        }
        isQuiet = try parsed.value(of: Self.quietOption)
        tls = try EndpointTLSOptions(parsed)
    }

    /// Who decides how a connection is treated.
    var script: EndpointScript { .byQueryElse(behaviour) }
}
