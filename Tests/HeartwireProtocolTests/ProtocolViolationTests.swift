import HeartwireProtocol
import Testing

@Suite("Faults of the peer")
struct ProtocolViolationTests {
    @Test("A violation names the clause, what was expected and what was seen")
    func description() {
        let violation = ProtocolViolation(
            closeCode: .protocolError, clause: "5.1", expected: "server frames to be unmasked",
            seen: "a masked text frame")
        #expect(
            violation.description
                == "RFC 6455 5.1: expected server frames to be unmasked, saw a masked text frame")
        #expect(violation.closeCode == 1002)
        #expect(violation.rfc == 6_455)
        let other = ProtocolViolation(
            closeCode: .invalidPayloadData, clause: "7.2.2", expected: "a message in deflate",
            seen: "corrupt data", rfc: 7_692)
        #expect("\(other)" == "RFC 7692 7.2.2: expected a message in deflate, saw corrupt data")
    }

    @Test(
        "J1: no violation of the framing holds payload bytes",
        arguments: [
            "8106 736563726574 8104 736563ff", "0106 736563726574 8106 736563726574",
            "8808 03e8 736563726574 ", "8808 03ee 736563726574", "8808 03e8 7365637265ff",
        ])
    func noPayload(_ stream: String) throws {
        let recording = try ConnectionEngine.record(.client, [hex(stream)])
        for case .failed(let violation) in recording.events {
            #expect(!violation.description.contains("sec"))
        }
    }
}
