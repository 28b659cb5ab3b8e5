/// What can go wrong in a simulated world. Each has a probability of its own (``SimulationFaults``).
public enum SimulationFault: String, Sendable, Hashable, CaseIterable {
    // The way to the server.
    /// Nobody listens: the attempt is answered with RST.
    case refusedConnect = "refused-connect"
    /// The attempt is answered with nothing.
    case unansweredConnect = "unanswered-connect"
    /// TCP is up and lost before the request has left.
    case lostInTCP = "lost-in-tcp"
    /// The connection is lost when part of the 101 has come.
    case lostInHandshake = "lost-in-handshake"
    /// The connection is lost some time after the opening.
    case lostWhenOpen = "lost-when-open"
    /// The connection is lost within a write or a read after the opening, most often within a frame.
    case lostInFrame = "lost-in-frame"
    /// The connection is lost between our Close frame and the answer to it.
    case lostWhenClosing = "lost-when-closing"
    /// The line takes between 0.2 s and 3 s one way.
    case delay
    /// The line stands still for up to 8 s; then all comes at once.
    case stall
    /// The line goes dead at both ends and neither hears of it; one in three comes back minutes later.
    case freeze
    /// Each read yields 24 bytes at the most.
    case smallReads = "small-reads"

    // The server.
    /// The request gets a 503 with a Retry-After, garbage, a wrong key, silence or RST.
    case refusedUpgrade = "refused-upgrade"
    /// The answer to the request is held back for up to 40 s.
    case lateUpgrade = "late-upgrade"
    /// Pings go unanswered.
    case missingPong = "missing-pong"
    /// Pongs are held back for up to 15 s.
    case latePong = "late-pong"
    /// Each pong comes twice.
    case doublePong = "double-pong"
    /// Pongs answer nothing that was asked.
    case wrongPong = "wrong-pong"
    /// The server sends a Close frame, or FIN without one.
    case serverClose = "server-close"
    /// The server stops reading for up to 30 s.
    case slowServer = "slow-server"
    /// The server dies, takes all connections along, and is back within 90 s.
    case serverRestart = "server-restart"

    // What the client's transport reports.
    /// A report comes late and so behind others, perhaps when its connection is long over.
    case reorderedReport = "reordered-report"
    /// A report comes twice.
    case doubledReport = "doubled-report"
    /// A report of progress, an opening, a pong or an end never comes.
    case missingReport = "missing-report"

    // The app and its process.
    /// The request provider takes up to 45 s.
    case lateRequest = "late-request"
    /// The app stops taking messages for up to two minutes while the server sends on.
    case slowConsumer = "slow-consumer"
    /// The process is killed: the client is gone without a word, what its store has kept survives.
    case kill
    /// The store takes up to 2 s.
    case slowStore = "slow-store"
    /// The store cannot keep a message and says so.
    case failingStore = "failing-store"
    /// The store cannot read messages back, for now.
    case unreadableStore = "unreadable-store"

    // The machine's network, as its monitor tells it.
    /// There is no usable path for up to two minutes.
    case pathLost = "path-lost"
    /// The paths change up to three times within a second and stay usable.
    case pathChanged = "path-changed"
    /// The paths change within seconds after a wait, or a time in the background, has begun.
    case pathInWait = "path-in-wait"

    /// What a probability is asked for.
    public enum Occasion: String, Sendable, Hashable, CaseIterable {
        /// Each attempt to connect.
        case connection
        /// Each minute.
        case minute
        /// Each report of a transport.
        case report
        /// Each message that is to be stored.
        case message
        /// Each time that messages are read back from the store.
        case read
        /// Each wait for the next attempt, and each time in the background.
        case wait
    }

    /// What the probability is asked for.
    public var occasion: Occasion {
        switch self {
        case .refusedConnect, .unansweredConnect, .lostInTCP, .lostInHandshake, .lostWhenOpen,
            .lostInFrame, .lostWhenClosing, .delay, .stall, .freeze, .smallReads, .refusedUpgrade,
            .lateUpgrade, .missingPong, .latePong, .doublePong, .wrongPong, .serverClose,
            .slowServer, .lateRequest:
            .connection
        case .serverRestart, .slowConsumer, .kill, .pathLost, .pathChanged: .minute
        case .reorderedReport, .doubledReport, .missingReport: .report
        case .slowStore, .failingStore: .message
        case .unreadableStore: .read
        case .pathInWait: .wait
        }
    }

    /// The probability unless told otherwise.
    public var standardProbability: Double {
        switch self {
        case .refusedConnect, .unansweredConnect, .lostInTCP, .lostInHandshake, .refusedUpgrade,
            .lateUpgrade, .lateRequest:
            0.04
        case .lostWhenOpen: 0.25
        case .lostInFrame, .lostWhenClosing, .serverClose: 0.1
        case .delay, .stall, .slowServer, .freeze: 0.08
        case .smallReads, .missingPong, .latePong, .doublePong, .wrongPong: 0.05
        case .serverRestart, .slowConsumer, .kill, .pathLost, .unreadableStore: 0.08
        case .reorderedReport, .doubledReport: 0.02
        case .missingReport: 0.005
        case .slowStore: 0.1
        case .pathChanged, .pathInWait: 0.25
        case .failingStore: 0.02
        }
    }
}

/// How likely each fault is.
public struct SimulationFaults: Sendable, Hashable {
    private var changes: [SimulationFault: Double] = [:]

    /// The standard probabilities.
    public init() {}

    /// No fault at all.
    public static var none: SimulationFaults {
        var faults = SimulationFaults()
        for fault in SimulationFault.allCases { faults[fault] = 0 }
        return faults
    }

    /// The probability of a fault, held within 0…1; what is no number counts as 0.
    public subscript(fault: SimulationFault) -> Double {
        get { changes[fault] ?? fault.standardProbability }
        set { changes[fault] = newValue.isNaN ? 0 : min(max(newValue, 0), 1) }
    }

    /// The faults that can happen.
    public var possible: [SimulationFault] { SimulationFault.allCases.filter { self[$0] > 0 } }
}
