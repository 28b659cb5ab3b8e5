// What the kill test kills: a program that delivers, says what was stored, and does not know when it ends.
//
// usage: KillChild URL STORE RUN [POINT]
//
// RUN names the messages. With POINT it ends itself with SIGKILL at one stated point, otherwise it goes on until it
// is killed. With POINT `drain` it delivers what is stored, takes nothing in and ends with status 0.
import Foundation
import Heartwire

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(64) }
let run = arguments[3]
let point = arguments.count > 4 ? arguments[4] : ""

/// One line, in one write, so that a kill leaves no half of it.
@Sendable func say(_ line: String) {
    let bytes = [UInt8]("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

@Sendable func end(at here: String) {
    if here == point { kill(getpid(), SIGKILL) }
}

let client = try WebSocketClient(arguments[1]) { configuration in
    var outbox = OutboxConfiguration.sqlite(at: arguments[2])
    // So little that what an earlier process left is read back in pieces.
    outbox.window.count = 2
    outbox.envelope = { entry in
        guard case .text(let text) = entry.message else { return entry.message }
        return .text("\(entry.id.number) \(entry.isPossibleDuplicate ? "again" : "first") \(text)")
    }
    configuration.outbox = outbox
}
await client.connect()

if point == "drain" {
    let report = await client.shutdown(grace: .seconds(30))
    say("left \(report.left.count)")
    exit(report.isDrained ? 0 : 1)
}

@Sendable func deliver(_ name: String) async throws {
    end(at: "before-insert")
    let receipt = try await client.deliver(.text(name))
    say("stored \(receipt.id.number) \(name)")
    end(at: "after-insert")
    try await receipt.written()
    end(at: "after-write")
    try await receipt.confirmed()
    end(at: "after-confirmation")
    // The removal follows the confirmation in a transaction of its own.
    guard point == "after-removal" else { return }
    try await Task.sleep(for: .milliseconds(200))
    end(at: "after-removal")
}

await withTaskGroup(of: Void.self) { group in
    for caller in 0..<4 {
        group.addTask {
            for number in 0..<1_000_000 {
                try? await deliver("run\(run)-caller\(caller)-\(number)")
            }
        }
    }
}
