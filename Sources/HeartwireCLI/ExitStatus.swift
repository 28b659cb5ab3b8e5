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

    /// A signal ended it: 128 and the signal's number, as shells count.
    static func stopped(by signal: StopSignal) -> ExitStatus {
        ExitStatus(rawValue: 128 + signal.rawValue)
    }

    /// The paragraph of the help texts.
    static let helpText = """
        Exit status:
          0    it went well
          1    it did not: a line on the standard error says what happened
          2    the command line was wrong
          130  stopped by an interrupt (Ctrl-C); 143 by a request to terminate.
               The first signal closes in order, a second one ends at once.
        """
}

/// The signals that ask a command to stop.
enum StopSignal: Int32, Sendable, Hashable, CaseIterable {
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
    case failed(String)
    /// The command line was wrong in a way that only the command itself could see.
    case misused(UsageError)
    /// A signal asked for the end, and it was reached in order.
    case stopped(StopSignal)
}

/// The exit status that goes with `end`.
func exitStatus(for end: CommandEnd) -> ExitStatus {
    switch end {
    case .done: .success
    case .failed: .failure
    case .misused: .usage
    case .stopped(let signal): .stopped(by: signal)
    }
}
