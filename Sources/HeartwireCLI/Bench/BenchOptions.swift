/// The arguments of `heartwire bench`, in the order of the contract that all peers keep.
enum BenchOptions: Sendable, Hashable {
    /// Measure the public client against an echo server.
    case client(BenchLoad)
    /// Echo on this port until killed.
    case server(port: UInt16)
    /// Measure guaranteed delivery beside plain sending.
    case deliver(DeliverLoad)
    /// Measure what messages take that wait.
    case hold(HoldLoad)
    /// Measure how the cost of an outbox grows.
    case grow(DeliverLoad)

    /// What a message is made of.
    enum Kind: String, Sendable, Hashable {
        case binary = "b"
        case text = "t"
        case deflate = "d"
    }

    static let spec = CommandSpec(
        name: "bench",
        summary: "Measures messages per second, round trips and processor time.",
        positionals: [
            .init(
                placeholder: "MODE", help: "client, server, deliver, hold or grow.",
                isRequired: true),
            .init(placeholder: "PORT", help: "On 127.0.0.1.", isRequired: false),
            .init(placeholder: "SIZE", help: "Bytes in a message.", isRequired: false),
            .init(
                placeholder: "WINDOW", help: "Messages under way; 1 measures round trips.",
                isRequired: false),
            .init(
                placeholder: "KIND", help: "b (binary), t (text) or d (compressed text).",
                isRequired: false),
            .init(placeholder: "TIME", help: "How many seconds to measure.", isRequired: false),
            .init(placeholder: "FILE", help: "The text for KIND d.", isRequired: false),
        ],
        options: BenchLoad.options + DeliverLoad.options,
        discussion: """
            bench client [--transport urlsession] PORT SIZE WINDOW KIND SECONDS [FILE]
              connects to ws://127.0.0.1:PORT/ through the public client, keeps WINDOW messages
              under way, warms up for 0.2 s, measures, and prints one line:
              RES msgs=N wall=S user=S sys=S p50=MICROSECONDS p99=MICROSECONDS
              (p50 and p99 are round trips where WINDOW is 1, otherwise 0)
              KIND d connects to the path /d with permessage-deflate, and each message is the
              text in FILE, whatever SIZE says. The other kinds go without compression.
              Over urlsession the connection is Foundation's, which compresses as it likes. On
              Linux it gives long messages in pieces; pieces=N then tells how many came.
              The messages are read on the client's own executor, without a thread hop, or
              with --consumer=pool where tasks run by default.
            bench server PORT
              echoes until it is killed
            bench deliver
              delivers to an endpoint in this process, in several ways one after the other:
              plain send, deliver with the store in memory and in SQLite, one message at a
              time and in bulk. Prints for each how many messages a second had their
              receipts, how many were confirmed, and the processor time, the endpoint's
              included.
            bench hold
              delivers while there is no connection, and prints what a waiting message takes.
            bench grow
              prints what the operations of an outbox take with 10 to N entries in it.

            Numbers from a debug build mean nothing.

            \(ExitStatus.helpText)
            """)

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        let words = parsed.positionals
        guard let mode = words.first else { throw Self.problem("MODE is missing") }
        try Self.checkOptions(of: mode, parsed)
        if let request = try Self.delivery(mode, parsed) {
            self = request
            return
        }
        guard ["client", "server"].contains(mode) else {
            throw Self.problem(
                "'\(displaySafe(mode))' is no mode: give client, server, deliver, hold or grow")
        }
        guard words.count > 1 else { throw Self.problem("PORT is missing") }
        guard let port = UInt16(words[1]), port > 0 || mode == "server" else {
            throw Self.problem("'\(displaySafe(words[1]))' is no port: give 1 to 65535")
        }
        guard mode == "client" else {
            guard words.count == 2 else { throw Self.problem("'bench server' takes PORT alone") }
            self = .server(port: port)
            return
        }
        var load = try Self.load(port, Array(words.dropFirst(2)))
        load.transport = try parsed.value(of: BenchLoad.transportOption)
        load.consumer = try parsed.value(of: BenchLoad.consumerOption)
        self = .client(load)
    }

    private static let deliveryModes = ["deliver", "hold", "grow"]

    /// Refuses the options of other modes.
    private static func checkOptions(
        of mode: String, _ parsed: ParsedArguments
    ) throws(UsageError) {
        for option in parsed.texts.keys.sorted() {
            if BenchLoad.options.contains(where: { $0.name == option }) {
                guard mode == "client" else { throw problem("'--\(option)' is for 'bench client'") }
            } else if !deliveryModes.contains(mode) {
                throw problem("'--\(option)' is for 'bench deliver', 'hold' and 'grow'")
            }
        }
    }

    /// The modes that take options alone; `nil` for the others.
    private static func delivery(
        _ mode: String, _ parsed: ParsedArguments
    ) throws(UsageError) -> BenchOptions? {
        guard deliveryModes.contains(mode) else { return nil }
        guard parsed.positionals.count == 1 else {
            throw problem("'bench \(mode)' takes options alone")
        }
        switch mode {
        case "hold": return .hold(try HoldLoad(parsed))
        case "grow": return .grow(try DeliverLoad(parsed))
        default: return .deliver(try DeliverLoad(parsed))
        }
    }

    private static func load(_ port: UInt16, _ words: [String]) throws(UsageError) -> BenchLoad {
        guard (4...5).contains(words.count) else {
            throw problem("'bench client' takes PORT SIZE WINDOW KIND SECONDS [FILE]")
        }
        guard let size = Int(words[0]), (0...(16 << 20)).contains(size) else {
            throw problem("'\(displaySafe(words[0]))' is no SIZE: give 0 to 16777216")
        }
        guard let window = Int(words[1]), (1...1_000_000).contains(window) else {
            throw problem("'\(displaySafe(words[1]))' is no WINDOW: give 1 to 1000000")
        }
        guard let kind = Kind(rawValue: words[2]) else {
            throw problem("'\(displaySafe(words[2]))' is no KIND: give b, t or d")
        }
        let file = words.count == 5 ? words[4] : nil
        guard (kind == .deflate) == (file != nil) else {
            throw problem("KIND d takes a FILE with its text, and no other KIND does")
        }
        guard let seconds = Double(words[3]), seconds > 0, seconds <= 3_600 else {
            throw problem("'\(displaySafe(words[3]))' is no time: give up to 3600 seconds")
        }
        return BenchLoad(
            port: port, size: size, window: window, kind: kind, seconds: seconds, file: file)
    }

    static func problem(_ words: String) -> UsageError {
        UsageError(words, command: "bench")
    }
}

/// What the client is measured with.
struct BenchLoad: Sendable, Hashable {
    /// Where the task runs that reads and sends.
    enum Consumer: String, Sendable, Hashable, CaseIterable {
        /// On the client's own executor.
        case executor
        /// On the pool where tasks run by default.
        case pool
    }

    var port: UInt16
    /// Bytes in a message.
    var size: Int
    /// Messages that are under way at once.
    var window: Int
    var kind: BenchOptions.Kind
    var seconds: Double
    /// Where the text is that is sent compressed; only for that kind.
    var file: String?
    /// What makes the connection.
    var transport = TransportChoice.socket
    /// Whether a message may come back as several, as Foundation's come on Linux.
    var mayCut: Bool { transport == .urlsession }

    var consumer = Consumer.executor

    static let transportOption = Option<TransportChoice>.choice(
        "transport", default: .socket, "client: what makes the connection.")
    static let consumerOption = Option<Consumer>.choice(
        "consumer", default: .executor, "client: where the messages are read.")
    static let options = [transportOption.spec, consumerOption.spec]
}
