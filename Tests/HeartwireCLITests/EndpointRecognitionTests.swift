import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireCLI

@Suite("EndpointRecognition")
struct EndpointRecognitionTests {
    private func isRecognised(_ behaviour: EndpointScript) async throws -> Bool {
        try await ClientWorld(.loopback, behaviour: behaviour).run { world in
            let url = try world.url("x=1")
            let answer = await EndpointRecognition.isEndpoint(at: url, patience: .seconds(5))
            _ = await world.windUp()
            return answer
        }
    }

    @Test(
        "an endpoint that acts on the query is recognised by what it says of a strange key (real time)"
    )
    func endpoint() async throws {
        #expect(try await isRecognised(.byQuery))
    }

    @Test("a server that accepts whatever it is asked is a foreign one (real time)")
    func accepting() async throws {
        #expect(try await !isRecognised(.always(EndpointBehaviour())))
    }

    @Test("so is one that answers 400 in words of its own (real time)")
    func refusing() async throws {
        var behaviour = EndpointBehaviour()
        behaviour.refusal = .status(400, retryAfterSeconds: nil)
        #expect(try await !isRecognised(.always(behaviour)))
    }

    @Test("so is a port at which nobody listens (real time)")
    func nobody() async throws {
        let url = try await ClientWorld(.loopback).run { world in
            let url = try world.refusedURL()
            _ = await world.windUp()
            return url
        }
        #expect(await !EndpointRecognition.isEndpoint(at: url, patience: .seconds(5)))
    }

    @Test(
        "the list runs against an endpoint elsewhere, with the URL's own query left out (real time)"
    )
    func list() async throws {
        let ids = ["pong-in-time", "refused-http", "echo-in-order", "reads-after-control"]
        let world = try ClientWorld(.loopback)
        let (output, diagnostics) = (TestPipe(), TestPipe())
        let end = try await world.run { world in
            let url = try world.url("x=1")
            let target = "ws://\(url.hostHeader)\(url.requestTarget)"
            let options = try acceptOptions([
                "--url=\(target)", "--only=\(ids.joined(separator: ","))", "--format=json",
                "--interval=20",
            ])
            let end = await AcceptCommand.run(
                options, output: output.writer, diagnostics: diagnostics.writer)
            _ = await world.windUp()
            return end
        }
        let json = output.finish()
        #expect(diagnostics.finish() == "")
        #expect(end == .done, "\(json)")
        #expect(json.split(separator: "\"verdict\":\"pass\"").count == 5)
        #expect(json.contains("leave out --url"))
    }

    @Test("a state tells its cause where it has one")
    func causes() {
        let cause = CloseCause.heartbeatTimeout
        #expect(SessionState.waiting(attempt: 1, delay: .zero, cause: cause).cause == cause)
        #expect(SessionState.stopped(.disconnected(nil)).cause == nil)
        #expect(SessionState.stopped(.refusedToRetry(cause)).cause == cause)
        #expect(SessionState.stopped(.attemptsExhausted(cause)).cause == cause)
        #expect(SessionState.idle.cause == nil && SessionState.open(Generation(1)).cause == nil)
    }
}
