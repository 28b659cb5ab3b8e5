import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import HeartwireURLSession
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

    @Test(
        "Messages are read on the client's executor unless the pool is asked for",
        arguments: [([], BenchLoad.Consumer.executor), (["--consumer", "pool"], .pool)])
    func consumer(_ words: [String], _ expected: BenchLoad.Consumer) throws {
        let request = try CommandRequest(
            arguments: ["bench", "client", "9", "64", "1", "b", "0.5"] + words)
        guard case .bench(.client(let load)) = request else {
            Issue.record("\(request)")
            return
        }
        #expect(load.consumer == expected)
        #expect(load.size == 64)
    }

    @Test("A text to compress without its file is an error")
    func noFile() {
        let load = BenchLoad(
            port: 1, size: 3, window: 1, kind: .deflate, seconds: 1, file: "/nowhere/at/all")
        #expect(throws: BenchPayloadError.self) { try BenchClient.message(load) }
    }

    @Test("Round trips and messages under way are counted, over sockets (real time)")
    func measured() async throws {
        for window in [1, 8] {
            let line = try await measure(BehindPort("/"), window: window)
            #expect(line.hasPrefix("RES msgs="))
            #expect(!line.hasPrefix("RES msgs=0 "))
            #expect(line.contains("p50=0 ") == (window > 1))
        }
    }

    @Test(
        "T3: where Foundation speaks no WebSocket there is no measurement, and the command says so")
    func unsupported() async throws {
        guard !URLSessionTransportFactory.isSupported else { return }
        var load = BenchLoad(port: 1, size: 1, window: 1, kind: .text, seconds: 0.01)
        load.transport = .urlsession
        #expect(
            await BenchClient.run(load)
                == .failed("this platform's URLSession has no WebSocket support"))
    }

    @Test(
        "What comes back otherwise than it went out is not counted but ends the measurement (real time)",
        arguments: [("hello=1x7", "longer or shorter"), ("drop=fin@50", "the connection ")])
    func spoilt(_ query: String, _ words: String) async throws {
        for window in [1, 8] {
            let failure = try await #require(throws: MeasureFailure.self) {
                try await measure(BehindPort("/?\(query)"), window: window)
            }
            #expect(failure.words.contains(words))
        }
    }

    @Test("K12-02: a server that sends nothing back is not waited for without end (real time)")
    func overdue() async throws {
        for window in [1, 8] {
            let failure = try await #require(throws: MeasureFailure.self) {
                try await measure(
                    BehindPort("/?echo=off"), window: window, patience: .milliseconds(50))
            }
            #expect(failure.words == "the messages did not come back in time")
        }
    }

    private struct MeasureFailure: Error {
        let words: String
    }

    /// An endpoint on a port, whose clients are all treated alike.
    private final class BehindPort: Sendable {
        let loop = EventLoop(name: "bench-test")
        let listener: TCPListener

        init(_ target: String) throws {
            let behaviour = try EndpointBehaviour(target: target)
            let endpoint = Endpoint(
                executor: loop, random: SeededRandomSource(seed: 1), behaviour: .always(behaviour))
            listener = try TCPListener.listen(on: loop) { channel in
                endpoint.accept(channel)
                channel.start()
            }
        }
    }

    private func measure(
        _ place: BehindPort, window: Int, patience: Duration = .seconds(30)
    ) async throws -> String {
        let pipe = TestPipe()
        let load = BenchLoad(
            port: place.listener.port, size: 64, window: window, kind: .binary, seconds: 0.05)
        let end = await BenchClient.run(load, output: pipe.writer, patience: patience)
        place.loop.execute { [listener = place.listener, loop = place.loop] in
            listener.close()
            loop.shutdown()
        }
        let text = pipe.finish()
        guard case .failed(let words, _) = end else { return text }
        throw MeasureFailure(words: words)
    }
}
