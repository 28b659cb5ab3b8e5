import HeartwireProtocol
import HeartwireSession

/// The arguments of `heartwire connect`.
struct ConnectOptions: Sendable, Hashable {
    /// What to do when the standard input has ended and all of it was sent (field case K12-02).
    enum AtEnd: Sendable, Hashable {
        /// Wait this long for further messages, then close.
        case linger(Duration)
        /// Wait until the server closes.
        case untilClose
    }

    /// The server.
    var url: WebSocketURL
    /// Whether lines go out as binary messages.
    var isBinary: Bool
    /// How messages are written to the standard output.
    var format: OutputFormat
    /// Header fields of the user's own, in order.
    var headers: HeaderFields
    /// Subprotocols to offer, in order of preference.
    var subprotocols: [String]
    /// How a `wss:` server is checked, and what it is shown.
    var tls: ClientTLSOptions
    /// How the server is reached.
    var route: ConnectRouteOptions
    /// What to do at the end of the input.
    var atEnd: AtEnd
    /// How long the connection may take to open.
    var connectTimeout: Duration
    /// How long the server may take to answer a Close frame.
    var closeTimeout: Duration
    /// The heartbeat's interval and timeout; `nil` sends no pings.
    var heartbeat: HeartbeatOptions?
    /// Whether a lost connection is made anew.
    var isReconnecting: Bool
    /// Where the client's journal goes, if anywhere.
    var journal: String?
    /// The most bytes that one line may have.
    var maximumLineBytes: Int

    private static let binaryOption = Option.flag(
        "binary", "Send each line as a binary message instead of a text message.")
    private static let formatOption = Option<OutputFormat>.choice(
        "format", default: .plain, "How to print messages, see below.")
    private static let headerOption = Option.texts(
        "header", "'NAME: VALUE'", "Send this header field in the opening handshake.")
    private static let subprotocolOption = Option.list(
        "subprotocol", "NAME,…", "Offer these subprotocols, best first.")
    private static let lingerOption = Option.duration(
        "linger", default: .seconds(1), minimum: .zero,
        "After the input has ended and gone out, wait this long for answers, then close.")
    private static let untilCloseOption = Option.flag(
        "until-close", "After the end of the input, wait until the server closes.")
    private static let connectTimeoutOption = Option.duration(
        "connect-timeout", default: .seconds(10), "How long the connection may take to open.")
    private static let closeTimeoutOption = Option.duration(
        "close-timeout", default: .seconds(5), "How long the server may take to answer a close.")
    private static let heartbeatOption = Option.negatable(
        "heartbeat", default: true, "Ping the server, and give it up when it does not answer.")
    private static let intervalOption = Option.duration(
        "interval", default: .seconds(20), "The heartbeat's interval.")
    private static let timeoutOption = Option.duration(
        "timeout", default: .seconds(10), "How long a pong may take.")
    private static let reconnectOption = Option.negatable(
        "reconnect", default: true, "Make a lost connection anew, with back-off.")
    private static let journalOption = Option.text(
        "journal", "FILE", "Write what the client does as JSON Lines to FILE.")
    private static let lineOption = Option.integer(
        "max-line", "BYTES", in: 1...(1 << 30), default: 16 << 20,
        "The most bytes in one line; a longer one is an error, it is never cut.")

    static let spec = CommandSpec(
        name: "connect",
        summary: "Sends lines of the standard input as messages and prints what comes back.",
        positionals: [
            CommandSpec.Positional(
                placeholder: "URL", help: "The server, ws://… or wss://….", isRequired: true)
        ],
        options: [
            binaryOption.spec, formatOption.spec, headerOption.spec, subprotocolOption.spec,
            lingerOption.spec, untilCloseOption.spec, connectTimeoutOption.spec,
            closeTimeoutOption.spec, heartbeatOption.spec, intervalOption.spec,
            timeoutOption.spec, reconnectOption.spec, journalOption.spec, lineOption.spec,
        ] + ClientTLSOptions.options + ConnectRouteOptions.options,
        discussion: """
            Each line of the standard input is one message. A line ends with LF, which is not
            sent; a CR before it is. The last line may lack its LF. Text has to be UTF-8: a line
            that is not ends the session with an error. Input is read no faster than it is sent.

            Formats:
              plain  a text message and LF; a binary message's bytes with nothing added
              raw    the bytes of every message with nothing added
              json   one object a line: {"type":"text","data":"…"} or
                     {"type":"binary","base64":"…"}; nothing is lost between messages

            Messages are printed as they came. The standard error tells every state and why a
            connection ended; control characters are escaped there. When the reader of the
            output goes away, the session is closed in order and the exit status is 0.

            When the first attempt to connect fails, that is the end. Once the connection has
            been open, it is made anew when it is lost, or the server closes it or breaks the
            protocol, after 1 s, 2 s and so on, at most 10 times in a row, unless the server's
            close code says that this is of no use (1002, 1003, 1007 to 1010, 1015, 3003, 4403).
            Lines wait meanwhile. A line is sent once: one that was on its way when the
            connection ended is not sent again.

            The end counts, with status 1 where all else went well, the lines that could not be
            sent, those that may not have arrived (their connection broke, and no pong came
            behind them), and messages that came during the close while 4 MiB waited to be
            printed. Lines behind which a server closed with another code than 1000 are told of.

            After the end of the input no connection is made anew. What was sent may go out for
            as long as the server takes it, or messages wait to be printed, and no pings are
            sent meanwhile; then comes --linger, and then the close.

            A clean end (status 0) is a close that this side asked for and the server confirmed
            (with the same code, 1000, 1001 or none), or, with --no-reconnect or after the end of
            the input, a close by the server with 1000 or without a code. All else tells its kind
            by the status.

            A wss:// server is connected to only if its certificate leads to a trusted
            authority and names the URL's host. A server that asks who the client is gets the
            certificate of --cert; its key may stand in the same file.

            \(ConnectRouteOptions.helpText)

            The journal holds states, causes and numbers: no contents, header values or queries.

            A duration is 500ms, 2s, 1.5s, 3m or a plain number of milliseconds.

            \(ExitStatus.connectHelpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit or two that contradict each other.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        guard let url = parsed.positionals.first else {
            throw UsageError("URL is missing", command: "connect")
        }
        self.url = try webSocketURL(url, command: "connect")
        isBinary = try parsed.value(of: Self.binaryOption)
        format = try parsed.value(of: Self.formatOption)
        headers = try Self.headers(try parsed.value(of: Self.headerOption))
        subprotocols = try parsed.value(of: Self.subprotocolOption)
        route = try ConnectRouteOptions(parsed)
        // A redirect may lead from ws: to wss:.
        tls = try ClientTLSOptions(
            parsed, mayBeSecure: self.url.isSecure || route.redirects == .follow)
        let linger = try parsed.value(of: Self.lingerOption)
        let waitsForClose = try parsed.value(of: Self.untilCloseOption)
        if waitsForClose, parsed.isGiven(Self.lingerOption) {
            throw UsageError("give '--linger' or '--until-close', not both", command: "connect")
        }
        atEnd = waitsForClose ? .untilClose : .linger(linger)
        connectTimeout = try parsed.value(of: Self.connectTimeoutOption)
        closeTimeout = try parsed.value(of: Self.closeTimeoutOption)
        let pulse = HeartbeatOptions(
            interval: try parsed.value(of: Self.intervalOption),
            timeout: try parsed.value(of: Self.timeoutOption))
        heartbeat = try parsed.value(of: Self.heartbeatOption) ? pulse : nil
        isReconnecting = try parsed.value(of: Self.reconnectOption)
        journal = try parsed.value(of: Self.journalOption)
        maximumLineBytes = try parsed.value(of: Self.lineOption)
        do throws(OpeningRequestError) {
            _ = try OpeningRequest(url: self.url, headers: headers, subprotocols: subprotocols)
        } catch {
            throw UsageError("\(displaySafe(error.description))", command: "connect")
        }
    }

    private static func headers(_ texts: [String]) throws(UsageError) -> HeaderFields {
        var headers = HeaderFields()
        for text in texts {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                // The text may hold a secret: it is not repeated.
                throw UsageError("'--header' needs the form 'NAME: VALUE'", command: "connect")
            }
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            headers.append(String(parts[0]), String(value))
        }
        return headers
    }
}

/// The URL that `text` is.
///
/// - Throws: ``UsageError`` that says what is wrong and does not repeat `text`, which may hold a password.
func webSocketURL(_ text: String, command: String) throws(UsageError) -> WebSocketURL {
    do throws(WebSocketURLError) {
        return try WebSocketURL(text)
    } catch {
        throw UsageError(
            "the URL cannot be used: \(displaySafe(error.description))", command: command)
    }
}

/// A heartbeat as the command line gives it.
struct HeartbeatOptions: Sendable, Hashable {
    /// From a pong to the next ping.
    var interval: Duration
    /// From a ping to the verdict.
    var timeout: Duration
}
