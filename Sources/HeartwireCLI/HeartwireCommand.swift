import HeartwireSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The version that `heartwire --version` prints.
let heartwireVersion = "0.1.0"

/// The program `heartwire`.
@main
struct HeartwireCommand {
    static func main() async {
        ProcessSetup.prepare()
        let end: CommandEnd
        do throws(UsageError) {
            let request = try CommandRequest(arguments: ProcessArguments.read())
            end = await perform(request)
        } catch {
            end = .misused(error)
        }
        report(end)
        exit(exitStatus(for: end).rawValue)
    }

    private static func perform(_ request: CommandRequest) async -> CommandEnd {
        if request.needsSockets, let fault = EventLoop.fault() {
            return .failed("an event loop cannot be made: \(fault)")
        }
        return switch request {
        case .nothing: withoutCommand()
        case .overview: printed(HelpText.overview(of: Command.allCases.map(\.spec)))
        case .help(let command): printed(HelpText.text(for: command.spec))
        case .version: printed("heartwire \(heartwireVersion)\n")
        case .accept(let options): await stoppable { await AcceptCommand.run(options) }
        case .bench(.client(let load)): await stoppable { await BenchClient.run(load) }
        case .bench(.server(let port)): await stoppable { await BenchServer.run(port: port) }
        case .bench(.deliver(let load)): await stoppable { await DeliverBench.run(load) }
        case .bench(.hold(let load)): await stoppable { await HoldBench.run(load) }
        case .bench(.grow(let load)): await stoppable { await GrowBench.run(load) }
        case .connect(let options): await ConnectCommand.run(options)
        case .simulate(.worlds(let options)): await stoppable { await WorldsCommand.run(options) }
        case .simulate(.herd(let options)): await stoppable { await HerdCommand.run(options) }
        case .endpoint(let options): await stoppable { await EndpointCommand.run(options) }
        case .autobahn(let options):
            await stoppable {
                let limit = options.caseTimeout
                return await AutobahnCommand(
                    options: options,
                    visit: { try await AutobahnClient.visit($0, $1, limit: limit) }
                ).run()
            }
        }
    }

    /// The overview goes where errors go: nobody asked for it.
    private static func withoutCommand() -> CommandEnd {
        try? DescriptorWriter.standardError.write(
            HelpText.overview(of: Command.allCases.map(\.spec)) + "\n")
        return .misused(UsageError("give a command"))
    }

    private static func report(_ end: CommandEnd) {
        let error = DescriptorWriter.standardError
        switch end {
        case .done, .stopped: break
        case .failed(let line, _): error.writeDiagnostic("heartwire: \(line)")
        case .misused(let problem): error.writeDiagnostic(problem.description)
        }
    }
}

/// Writes `text` to the standard output, as the whole work of a command.
func printed(
    _ text: String, to output: DescriptorWriter = .standardOutput
) -> CommandEnd {
    do throws(OutputError) {
        try output.write(text)
        return .done
    } catch {
        return ended(by: error)
    }
}

/// What a failed write means for the command: a reader that has gone ends it cleanly.
func ended(by error: OutputError) -> CommandEnd {
    switch error {
    case .readerGone: .done
    case .failed(let code): .failed("cannot write the output: \(systemErrorText(code))")
    }
}
