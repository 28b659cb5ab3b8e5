import ChatModel
import Dispatch
import Foundation
import Heartwire

/// A chat on the command line. What others say goes to the standard output, everything else to the standard error.
@main
@MainActor
struct ChatCommand {
    /// What brings the end.
    private enum Ending {
        case inputEnded, interrupted, stopped
    }

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let url = arguments.first, let name = arguments.last,
            !name.isEmpty, name.utf8.count <= 64
        else {
            say("usage: Chat URL NAME, such as Chat 'ws://127.0.0.1:9000/?echo=all' alice")
            exit(2)
        }
        let session: ChatSession
        do {
            session = try ChatSession(url, as: name, tell: show)
        } catch {
            say("chat: \(error)")
            exit(2)
        }
        exit(await run(session))
    }

    private static func run(_ session: ChatSession) async -> Int32 {
        let (endings, ending) = AsyncStream.makeStream(of: Ending.self)
        let watch = watchInterrupts { ending.yield(.interrupted) }
        defer { watch.cancel() }
        Task {
            await session.run()
            ending.yield(.stopped)
        }
        Task {
            await type(into: session)
            ending.yield(.inputEnded)
        }
        var status: Int32 = 0
        for await reason in endings {
            if reason == .stopped { status = 1 }
            break
        }
        let left = await session.end()
        guard left > 0 else { return status }
        say("-- \(left) of your lines nobody has heard")
        return 1
    }

    /// Says what is typed, up to the end of the input.
    private static func type(into session: ChatSession) async {
        let reader = LineReader()
        while let line = await reader.next() {
            guard !line.isEmpty else { continue }
            guard line.utf8.count <= ChatSession.lineBytes else {
                say("-- too long: at most \(ChatSession.lineBytes) bytes")
                continue
            }
            do throws(DeliveryError) {
                try await session.say(line)
            } catch {
                return say("-- not taken in: \(error)")
            }
        }
    }

    /// The first Ctrl-C is a wish, the second ends the program where it stands. Not the main actor's, since the handler
    /// runs on another thread.
    private nonisolated static func watchInterrupts(
        _ first: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        let counter = InterruptCounter()
        source.setEventHandler {
            if counter.isFirst() { first() } else { exit(130) }
        }
        source.activate()
        return source
    }

    private static func show(_ news: ChatNews) {
        switch news {
        case .said: FileHandle.standardOutput.write(Data("\(news.text)\n".utf8))
        case .state, .joined, .left, .marked: say("-- \(news.text)")
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}

/// Tells the first interrupt from later ones.
private final class InterruptCounter: @unchecked Sendable {
    // Touched by the signal source's handler alone, which never runs twice at a time.
    private var count = 0

    func isFirst() -> Bool {
        count += 1
        return count == 1
    }
}
