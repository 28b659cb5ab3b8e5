import HeartwireProtocol
import Testing

@testable import HeartwireCLI

@Suite("What a measurement sends")
struct BenchClientTests {
    @Test("A message is as large as the load says, and of its kind")
    func messages() throws {
        var load = BenchLoad(port: 1, size: 3, window: 1, kind: .binary, seconds: 1)
        #expect(try BenchClient.message(load) == .binary([0x78, 0x78, 0x78]))
        load.kind = .text
        #expect(try BenchClient.message(load) == .text("xxx"))
    }

    @Test("A text to compress without its file is an error")
    func noFile() {
        let load = BenchLoad(
            port: 1, size: 3, window: 1, kind: .deflate, seconds: 1, file: "/nowhere/at/all")
        #expect(throws: BenchPayloadError.self) { try BenchClient.message(load) }
    }
}
