import HeartwireProtocol
import HeartwireTesting
import Testing

@Suite struct EndpointQueryTests {
    /// The behaviour that a query asks for.
    private func parse(_ query: String) throws -> EndpointBehaviour {
        try EndpointBehaviour(target: "/?\(query)")
    }

    /// Why a query is refused, `nil` when it is not.
    private func fault(_ query: String) -> EndpointBehaviourError? {
        do throws(EndpointBehaviourError) {
            _ = try EndpointBehaviour(target: "/?\(query)")
            return nil
        } catch {
            return error
        }
    }

    // MARK: Shape

    @Test(
        "Any path, and an empty query, ask for the default behaviour",
        arguments: ["/", "/d", "/a/b%20c", "/?", "/?&", "", "*"])
    func defaults(_ target: String) throws {
        #expect(try EndpointBehaviour(target: target) == EndpointBehaviour())
    }

    @Test("The default answers pings, echoes, and does nothing of its own accord")
    func defaultValue() {
        let behaviour = EndpointBehaviour()
        #expect(behaviour.pong == .on)
        #expect(behaviour.echoes)
        #expect(behaviour.hello == nil)
        #expect(behaviour.close == nil)
        #expect(behaviour.drop == nil)
        #expect(behaviour.freezeDelay == nil)
        #expect(behaviour.refusal == nil)
        #expect(behaviour.answerDelay == .zero)
    }

    @Test("Keys can be combined in any order")
    func combined() throws {
        let behaviour = try parse("close=1000@50&hello=2x3&pong=off&delay=7&echo=off")
        #expect(behaviour.close == .init(code: 1000, after: .milliseconds(50)))
        #expect(behaviour.hello == .init(count: 2, size: 3))
        #expect(behaviour.pong == .off)
        #expect(behaviour.answerDelay == .milliseconds(7))
        #expect(!behaviour.echoes)
    }

    @Test("Unknown keys are refused, and the answer names what is known")
    func unknownKey() {
        #expect(fault("ping=on")?.key == "ping")
        #expect(fault("ping=on")?.explanation.contains("pong, echo, hello") == true)
        #expect(fault("Pong=on")?.key == "Pong")
        #expect(fault("=on")?.key == "")
        #expect(fault("pong%3Don")?.key == "pong%3Don")
        #expect(fault("pong?=on")?.key == "pong?")
    }

    @Test(
        "A key that comes twice is refused, with the same value too",
        arguments: ["pong=on&pong=on", "echo=on&echo=off", "freeze@1&freeze=1"])
    func duplicates(_ query: String) {
        #expect(fault(query)?.explanation == "may be given only once")
    }

    @Test("J1: a refused key is made printable and cut before it is repeated")
    func printableKey() {
        let long = fault(String(repeating: "k", count: 100))
        #expect(long?.key == String(repeating: "k", count: EndpointBehaviourError.keyLengthLimit))
        let control = EndpointBehaviourErrorProbe.key("a\r\nb \u{E9}")
        #expect(control == "a??b??")
        #expect(fault("nope")?.description.hasPrefix("nope: unknown key") == true)
    }

    private enum EndpointBehaviourErrorProbe {
        static func key(_ key: String) -> String? {
            do throws(EndpointBehaviourError) {
                _ = try EndpointBehaviour(target: "/?\(key)=1")
                return nil
            } catch {
                return error.key
            }
        }
    }

    // MARK: Values

    @Test("pong takes on, off, double, wrong and late:MS")
    func pong() throws {
        #expect(try parse("pong=on").pong == .on)
        #expect(try parse("pong=off").pong == .off)
        #expect(try parse("pong=double").pong == .double)
        #expect(try parse("pong=wrong").pong == .wrong)
        #expect(try parse("pong=late:0").pong == .late(.zero))
        #expect(try parse("pong=late:1500").pong == .late(.milliseconds(1_500)))
    }

    @Test(
        "pong refuses anything else",
        arguments: [
            "", "yes", "ON", "late", "late:", "late:-1", "late:1.5", "late:x", "late:86400001",
            "on@5",
        ])
    func pongFaults(_ value: String) {
        #expect(fault("pong=\(value)")?.key == "pong")
    }

    @Test("echo takes on, off and all")
    func echo() throws {
        for (value, echoes, shares) in [
            ("on", true, false), ("off", false, false), ("all", true, true),
        ] {
            let behaviour = try parse("echo=\(value)")
            #expect(behaviour.echoes == echoes)
            #expect(behaviour.sharesEchoes == shares)
        }
        #expect(!EndpointBehaviour().sharesEchoes)
        for value in ["", "0", "false", "Off"] { #expect(fault("echo=\(value)")?.key == "echo") }
    }

    @Test("deflate takes on and off")
    func deflate() throws {
        #expect(EndpointBehaviour().deflates)
        #expect(try parse("deflate=on").deflates)
        #expect(try !parse("deflate=off").deflates)
        for value in ["", "1", "true", "OFF"] {
            #expect(fault("deflate=\(value)")?.key == "deflate")
        }
    }

    @Test("hello takes COUNTxSIZE up to its limits, to the byte")
    func hello() throws {
        #expect(try parse("hello=1x0").hello == .init(count: 1, size: 0))
        #expect(try parse("hello=3x5").hello == .init(count: 3, size: 5))
        #expect(try parse("hello=1x67108864").hello?.size == EndpointBehaviour.helloByteLimit)
        #expect(try parse("hello=64x1048576").hello?.count == 64)
        #expect(try parse("hello=1000000x67").hello?.count == 1_000_000)
    }

    @Test(
        "hello refuses what is no count and size, and what comes to too much",
        arguments: [
            "", "3", "x", "3x", "x5", "0x5", "3x5x1", "3X5", "-1x5", "3x-5", "1x67108865",
            "64x1048577", "1000001x1", "1000000x68", "99999999999999999999x1",
            "9223372036854775807x9223372036854775807", "+3x5", "3x5@1",
        ])
    func helloFaults(_ value: String) {
        #expect(fault("hello=\(value)")?.key == "hello")
    }

    @Test("close takes a code, a reason and a time, or none")
    func close() throws {
        #expect(try parse("close=1001").close == .init(code: 1001))
        #expect(try parse("close=1001@500").close == .init(code: 1001, after: .milliseconds(500)))
        #expect(try parse("close=4000:bye").close == .init(code: 4000, reason: "bye"))
        #expect(try parse("close=4000:").close == .init(code: 4000, reason: ""))
        #expect(
            try parse("close=4000:bye@9").close
                == .init(code: 4000, reason: "bye", after: .milliseconds(9)))
        #expect(try parse("close=none").close == .init(code: nil))
        #expect(try parse("close=none@7").close == .init(code: nil, after: .milliseconds(7)))
    }

    @Test("close allows codes that may not be on the wire, for hostile tests")
    func hostileCodes() throws {
        for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 2_999, 5_000, 65_535] {
            #expect(try parse("close=\(code)").close?.code == CloseCode(rawValue: code))
        }
    }

    @Test("A close reason is percent-decoded after its marks were found")
    func closeReasons() throws {
        #expect(try parse("close=1000:going%20away").close?.reason == "going away")
        #expect(try parse("close=1000:a:b").close?.reason == "a:b")
        #expect(try parse("close=1000:a=b").close?.reason == "a=b")
        #expect(try parse("close=1000:mail%40host").close?.reason == "mail@host")
        #expect(try parse("close=1000:a%26b").close?.reason == "a&b")
        #expect(try parse("close=1000:%E2%9C%93").close?.reason == "\u{2713}")
        let longest = String(repeating: "r", count: EndpointBehaviour.reasonByteLimit)
        #expect(try parse("close=1000:\(longest)").close?.reason == longest)
    }

    @Test(
        "close refuses everything else",
        arguments: [
            "", "@5", "abc", "65536", "-1", "1000@", "1000@x", "1000@86400001", "1000:mail@host",
            "none:reason", "NONE", "1000:%FF", "1000:%zz", ":reason", "1000 :x", "0x3E8",
        ])
    func closeFaults(_ value: String) {
        #expect(fault("close=\(value)")?.key == "close")
    }

    @Test("A close reason of 124 bytes does not fit into the frame")
    func longReason() {
        let long = String(repeating: "%C3%A9", count: 62)
        #expect(fault("close=1000:\(long)")?.explanation.contains("123 bytes") == true)
    }

    @Test("drop takes fin and rst, with a time")
    func drop() throws {
        #expect(try parse("drop=fin").drop == .init(.fin))
        #expect(try parse("drop=rst").drop == .init(.rst))
        #expect(try parse("drop=rst@250").drop == .init(.rst, after: .milliseconds(250)))
        for value in ["", "FIN", "reset", "fin@", "fin@-1", "@5", "fin:5"] {
            #expect(fault("drop=\(value)")?.key == "drop")
        }
    }

    @Test("freeze takes its time in three spellings")
    func freeze() throws {
        for query in ["freeze@300", "freeze=@300", "freeze=300"] {
            #expect(try parse(query).freezeDelay == .milliseconds(300))
        }
        #expect(try parse("freeze@0").freezeDelay == .zero)
        #expect(try parse("freeze@86400000").freezeDelay == .seconds(86_400))
        for query in ["freeze", "freeze=", "freeze@", "freeze=on", "freeze@@1", "freeze@86400001"] {
            #expect(fault(query)?.key == "freeze")
        }
    }

    @Test("refuse takes a status from 200 to 599, and four ways that are no HTTP refusal")
    func refuse() throws {
        #expect(try parse("refuse=200").refusal == .status(200, retryAfterSeconds: nil))
        #expect(try parse("refuse=599").refusal == .status(599, retryAfterSeconds: nil))
        #expect(try parse("refuse=reset").refusal == .reset)
        #expect(try parse("refuse=silence").refusal == .silence)
        #expect(try parse("refuse=garbage").refusal == .garbage)
        #expect(try parse("refuse=badaccept").refusal == .badAccept)
        for value in ["", "101", "199", "600", "no", "badAccept", "403@5"] {
            #expect(fault("refuse=\(value)")?.key == "refuse")
        }
    }

    @Test("retry-after stands beside a refusing status, ahead of it or behind it")
    func retryAfter() throws {
        let expected = EndpointBehaviour.Refusal.status(503, retryAfterSeconds: 30)
        #expect(try parse("refuse=503&retry-after=30").refusal == expected)
        #expect(try parse("retry-after=30&refuse=503").refusal == expected)
        for value in ["", "-1", "soon", "604801"] {
            #expect(fault("refuse=503&retry-after=\(value)")?.key == "retry-after")
        }
    }

    @Test("delay takes milliseconds up to a day")
    func delay() throws {
        #expect(try parse("delay=0").answerDelay == .zero)
        #expect(try parse("delay=1200").answerDelay == .milliseconds(1_200))
        #expect(try parse("delay=86400000").answerDelay == .seconds(86_400))
        for value in ["", "1s", "-5", "86400001", "@5"] {
            #expect(fault("delay=\(value)")?.key == "delay")
        }
    }

    // MARK: Contradictions

    @Test(
        "A refused connection has nothing that comes after the opening",
        arguments: [
            "pong=off", "echo=on", "deflate=off", "hello=1x1", "close=1000", "drop=fin", "freeze@1",
        ])
    func refuseExcludes(_ other: String) {
        for query in ["refuse=403&\(other)", "\(other)&refuse=silence"] {
            #expect(fault(query)?.explanation.contains("contradicts refuse") == true)
        }
    }

    @Test("A refusal can be delayed, but silence cannot, for there is nothing to delay")
    func delayedRefusals() throws {
        #expect(try parse("refuse=403&delay=10").answerDelay == .milliseconds(10))
        #expect(try parse("refuse=reset&delay=10").refusal == .reset)
        #expect(fault("refuse=silence&delay=10")?.key == "delay")
    }

    @Test(
        "retry-after without a refusing status is refused",
        arguments: ["retry-after=1", "refuse=reset&retry-after=1", "retry-after=1&refuse=silence"])
    func strayRetryAfter(_ query: String) {
        #expect(fault(query)?.key == "retry-after")
    }

    @Test("A close has to come ahead of a freeze and of a drop")
    func order() throws {
        #expect(try parse("close=1000@1&freeze@2").freezeDelay == .milliseconds(2))
        #expect(try parse("close=1000@1&drop=rst@2").drop?.delay == .milliseconds(2))
        #expect(fault("close=1000@2&freeze@2")?.key == "close")
        #expect(fault("close=1000@3&freeze@2")?.key == "close")
        #expect(fault("close=1000@2&drop=fin@2")?.key == "close")
        #expect(fault("drop=fin&close=1000@1")?.key == "close")
    }

    @Test("A drop and a freeze exclude each other, in either order")
    func dropAndFreeze() {
        #expect(fault("drop=fin@1&freeze@2")?.key == "drop")
        #expect(fault("drop=fin@3&freeze@2")?.key == "drop")
    }

    // MARK: Robustness

    @Test("P5: no query of random pieces traps, and what is refused says why")
    func randomQueries() {
        let pieces = [
            "pong", "echo", "hello", "close", "drop", "freeze", "refuse", "retry-after", "delay",
            "deflate",
            "=",
            "&", "@", ":", "%", "x", "0", "9", "18446744073709551616", "-", "late", "none", "fin",
            "rst", "\u{E9}", "\u{0}", "?", "+", " ",
        ]
        let random = SeededRandomSource(seed: 3)
        for _ in 0..<20_000 {
            var query = ""
            for _ in 0..<(random.next() % 8) {
                query += pieces[Int(random.next() % UInt64(pieces.count))]
            }
            if let fault = fault(query) { #expect(!fault.explanation.isEmpty) }
        }
    }
}
