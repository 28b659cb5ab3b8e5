/// The exit statuses of every command, as each help text lists them.
struct ExitStatus: RawRepresentable, Sendable, Hashable {
    /// The number that the shell sees.
    let rawValue: Int32

    /// It went well.
    static let success = ExitStatus(rawValue: 0)
    /// It did not; a line on the standard error says what happened.
    static let failure = ExitStatus(rawValue: 1)
    /// The command line was wrong.
    static let usage = ExitStatus(rawValue: 2)

    /// `connect`: TLS failed, such as over a certificate that nobody trusted vouches for.
    static let insecure = ExitStatus(rawValue: 3)
    /// `connect`: the server answered the opening handshake with another HTTP status than 101.
    static let refused = ExitStatus(rawValue: 4)
    /// `connect`: the server broke the protocol, in the opening handshake or after it.
    static let protocolBroken = ExitStatus(rawValue: 5)
    /// `connect`: the connection was lost, or closed otherwise than in order.
    static let closedAbnormally = ExitStatus(rawValue: 6)
    /// `connect`: something was not there in time: the opening, a pong, or what the kernel waited for.
    static let timedOut = ExitStatus(rawValue: 7)

    /// A signal ended it: 128 and the signal's number, as shells count.
    static func stopped(by signal: StopSignal) -> ExitStatus {
        ExitStatus(rawValue: 128 + signal.rawValue)
    }

    /// The paragraph of the help texts.
    static let helpText = helpText(failures: "")

    /// The paragraph of `connect`, which tells the causes apart (field case K12-01). A connection that cannot be made at
    /// all, for want of a name, a route or somebody who listens, is the plain failure.
    static let connectHelpText = helpText(
        failures: """

              3    TLS failed
              4    the server answered with an HTTP status other than 101
              5    the server broke the protocol
              6    the connection was lost, or closed with another code
              7    the opening or a pong did not come in time
            """)

    private static func helpText(failures: String) -> String {
        """
        Exit status:
          0    it went well
          1    it did not: a line on the standard error says what happened
          2    the command line was wrong\(failures)
          130  stopped by an interrupt (Ctrl-C); 143 by a request to terminate;
               129 when its terminal hung up.
               The first signal closes in order, and ends what does not come
               to its end within seconds; a second one ends at once.
        """
    }
}

/// The signals that ask a command to stop.
enum StopSignal: Int32, Sendable, Hashable, CaseIterable {
    /// SIGHUP, when the terminal goes away.
    case hangUp = 1
    /// SIGINT, from the keyboard.
    case interrupt = 2
    /// SIGTERM, from a supervisor.
    case terminate = 15
}

/// How a command's work ended, in the terms that decide its ``ExitStatus``.
enum CommandEnd: Sendable, Hashable {
    /// All was done, or whoever read the output has gone (a broken pipe is no failure).
    case done
    /// It failed; one line says why, not yet escaped.
    case failed(String, as: ExitStatus = .failure)
    /// The command line was wrong in a way that only the command itself could see.
    case misused(UsageError)
    /// A signal asked for the end, and it was reached in order.
    case stopped(StopSignal)
}

/// The exit status that goes with `end`.
func exitStatus(for end: CommandEnd) -> ExitStatus {
    switch end {
    case .done: .success
    case .failed(_, let status): status
    case .misused: .usage
    case .stopped(let signal): .stopped(by: signal)
    }
}
