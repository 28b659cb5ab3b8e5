extension TransportConformance {
    /// One sentence of the contract, and how it is put to the test.
    public enum Case: String, Sendable, Hashable, CaseIterable {
        case opening
        case subprotocol
        case order
        case sizes
        case longMessages = "long-messages"
        case multiByteText = "multi-byte-text"
        case readsOn = "reads-on"
        case pongs
        case doublePongs = "double-pongs"
        case foreignPongs = "foreign-pongs"
        case missingPongs = "missing-pongs"
        case latePongs = "late-pongs"
        case peerClose = "peer-close"
        case peerCloseOwnCode = "peer-close-own-code"
        case peerCloseNoCode = "peer-close-no-code"
        case messagesAheadOfClose = "messages-ahead-of-close"
        case appClose = "app-close"
        case appCloseOwnCode = "app-close-own-code"
        case appCloseNoCode = "app-close-no-code"
        case closeBehindMessages = "close-behind-messages"
        case crossingCloses = "crossing-closes"
        case endOfStream = "end-of-stream"
        case reset
        case halfOpen = "half-open"
        case refusedPort = "refused-port"
        case refusal
        case garbage
        case wrongAccept = "wrong-accept"
        case resetBeforeOpening = "reset-before-opening"
        case silence
        case abortBeforeOpening = "abort-before-opening"
        case abortWhileConnecting = "abort-while-connecting"
        case abortWhileOpen = "abort-while-open"
        case abortWhileClosing = "abort-while-closing"
        case abortWithinReports = "abort-within-reports"
        case sendingOutsideOpen = "sending-outside-open"
        case afterTheEnd = "after-the-end"
        case backPressureOut = "back-pressure-out"
        case backPressureIn = "back-pressure-in"
        case sideBySide = "side-by-side"
        case lettingGo = "letting-go"

        /// What has to hold.
        public var sentence: String {
            switch self {
            case .opening: "the opening is reported once, and not from within open()"
            case .subprotocol: "the opening tells the subprotocol that the server chose"
            case .order: "messages come back whole, once and in order"
            case .sizes: "messages of 0, 1, 125, 126, 65,535 and 65,536 bytes come back whole"
            case .longMessages: "messages of 16 MiB come back whole, binary and text"
            case .multiByteText: "text of several bytes a character comes back as it went"
            case .readsOn: "reading goes on after every message and control frame"
            case .pongs: "a pong is reported for its ping, by id, once"
            case .doublePongs: "a pong that comes twice is reported once and ends nothing"
            case .foreignPongs: "a pong that answers no ping is not reported and ends nothing"
            case .missingPongs: "a pong that never comes hangs nothing"
            case .latePongs: "a late pong for an earlier ping is none for the newest"
            case .peerClose: "the peer's Close is reported once with code and reason"
            case .peerCloseOwnCode: "so is a Close with a code from 3000 to 4999"
            case .peerCloseNoCode: "so is a Close without a code"
            case .messagesAheadOfClose: "messages ahead of a Close are reported ahead of it"
            case .appClose: "a close of the app's own is answered, and reported with the answer"
            case .appCloseOwnCode: "a close with a code from 3000 to 4999 reaches the peer"
            case .appCloseNoCode: "a close without a code reaches the peer as one"
            case .closeBehindMessages: "what was sent ahead of a close reaches the peer"
            case .crossingCloses: "closes from both sides at once give one report"
            case .endOfStream: "the end of the stream is reported once, as lost"
            case .reset: "a reset is reported once, as lost"
            case .halfOpen: "a peer that falls silent is no report, until the session drops it"
            case .refusedPort: "a port at which nobody listens is reported as refused"
            case .refusal: "an HTTP refusal is reported with status and headers"
            case .garbage: "an answer that is no HTTP is a bad handshake"
            case .wrongAccept: "an answer for another key is a bad handshake"
            case .resetBeforeOpening: "a reset in place of an answer is a failure to connect"
            case .silence: "a server that never answers is no report, until the session drops it"
            case .abortBeforeOpening: "a transport that is dropped before open() reports nothing"
            case .abortWhileConnecting: "one that is dropped while it connects reports nothing"
            case .abortWhileOpen: "one that is dropped while it is open reports nothing more"
            case .abortWhileClosing: "one that is dropped while it closes reports nothing more"
            case .abortWithinReports: "one that is dropped from within a report reports no other"
            case .sendingOutsideOpen: "sending before the opening and after the end is an error"
            case .afterTheEnd: "after the end nothing is reported, whatever is asked for"
            case .backPressureOut: "a full backlog is told, and room is reported once"
            case .backPressureIn: "while reading is off nothing is reported, then all of it"
            case .sideBySide: "two connections hear nothing of each other"
            case .lettingGo: "what is over is let go, transport and observer"
            }
        }

        /// The promises that the sentence is part of.
        public var promises: [String] {
            switch self {
            case .opening, .abortBeforeOpening, .abortWhileConnecting, .abortWhileOpen,
                .abortWhileClosing, .abortWithinReports:
                ["T1", "T5"]
            case .subprotocol: ["P6"]
            case .order, .sizes, .longMessages, .multiByteText, .messagesAheadOfClose,
                .lettingGo:
                ["T1"]
            case .readsOn, .missingPongs, .backPressureOut, .backPressureIn: ["T4"]
            case .pongs, .doublePongs, .foreignPongs, .latePongs: ["T1", "H9"]
            case .peerClose, .peerCloseOwnCode, .peerCloseNoCode, .appClose, .appCloseOwnCode,
                .appCloseNoCode, .closeBehindMessages, .crossingCloses, .endOfStream, .reset,
                .halfOpen, .refusedPort, .refusal, .garbage, .wrongAccept, .resetBeforeOpening,
                .silence, .afterTheEnd:
                ["T1", "G4"]
            case .sendingOutsideOpen: ["D1"]
            case .sideBySide: ["T1", "G1"]
            }
        }
    }
}
