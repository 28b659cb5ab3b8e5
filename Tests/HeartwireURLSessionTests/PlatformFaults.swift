import HeartwireTesting

/// What does not hold over Foundation's task because of the platform. Each stays in the conformance run, which
/// tells when it is mended; docs/transports.md says more of each.
enum PlatformFaults {
    static let known: [TransportConformance.Case: TransportConformance.Exclusion] = {
        #if os(Linux)
            [
                .order: .unsteady("a frame that ends in the next read becomes several messages"),
                .sizes: "a frame that one read does not hold becomes several messages",
                .longMessages:
                    "a message that the socket does not take at once breaks the connection",
                .doublePongs: "a pong that nobody asked for closes the connection",
                .foreignPongs: "pongs are not compared with their pings",
                .peerCloseOwnCode: "codes from 3000 to 4999 are told as 1003",
                .peerCloseNoCode: "a Close frame without a code is told as 1000",
                .messagesAheadOfClose: "messages that wait are lost at a Close frame",
                .appClose: "after cancel(with:) the delegate is told that close, not the answer",
                .appCloseOwnCode: "codes from 3000 to 4999 cannot be sent",
                .appCloseNoCode: "a Close frame without a code cannot be sent",
                .closeBehindMessages: "after cancel(with:) no message is received",
                .endOfStream: "the end of the stream has the number of a bad answer",
                .garbage: "an answer that is no HTTP has the number of an unsupported URL",
                .wrongAccept: "Sec-WebSocket-Accept is not checked",
                .backPressureOut:
                    "a message that the socket does not take at once breaks the connection",
            ]
        #else
            [:]
        #endif
    }()

    /// What ends the process, so that it cannot be run beside the others.
    static let fatal: Set<TransportConformance.Case> = {
        #if os(Linux)
            [.multiByteText]
        #else
            []
        #endif
    }()
}
