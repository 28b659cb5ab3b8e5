import Foundation
import Heartwire
import Testing

/// What the README's example takes for granted.
private func freshToken() async throws -> String { "token" }

/// The README's example, word for word; the test below holds the two together.
private func example() async throws {
    // README: begin
    let client = try WebSocketClient("ws://localhost:8080/feed") {
        $0.heartbeat = .every(.seconds(20), timeout: .seconds(10))
        $0.request = { attempt in  // asked anew for every attempt
            let token = try await freshToken()
            return try ConnectionRequest(
                url: attempt.url, headers: ["Authorization": "Bearer \(token)"])
        }
    }
    await client.connect()

    Task {
        for await state in client.states { print(state) }  // the present state first
    }
    try await client.waitUntilOpen()
    try await client.send(.text("hello"))
    for await message in client.messages {  // over all connections, until the session stops
        switch message {
        case .text(let text): print(text)
        case .binary(let bytes): print(bytes.count, "bytes")
        }
    }
    // README: end
}

@Suite("The README")
struct ReadmeExampleTests {
    @Test("The example in the README is the one that compiles here, word for word")
    func same() throws {
        let here = URL(filePath: #filePath)
        let source = try String(contentsOf: here, encoding: .utf8)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("// README: begin") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// README: end") })
        let example = lines[(begin + 1)..<end].map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }
        #expect(example.count > 10)
        #expect(readme.contains(example.joined(separator: "\n")))
    }
}
