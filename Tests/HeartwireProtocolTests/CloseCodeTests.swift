import HeartwireProtocol
import Testing

@Suite("7.4: close codes")
struct CloseCodeTests {
    @Test("7.4, K10-03: exactly 1000–1003, 1007–1014 and 3000–4999 may be on the wire")
    func lawful() {
        let lawful = Set<UInt16>(1000...1003).union(1007...1014).union(3000...4999)
        for number in UInt16.min...UInt16.max {
            let code = CloseCode(rawValue: number)
            #expect(code.mayBeReceived == lawful.contains(number))
            #expect(code.mayBeSent == code.mayBeReceived)
        }
    }

    @Test("11.7: the registered names have their numbers")
    func registry() {
        let numbers: [(CloseCode, UInt16)] = [
            (.normalClosure, 1000), (.goingAway, 1001), (.protocolError, 1002),
            (.unsupportedData, 1003), (.noStatusReceived, 1005), (.abnormalClosure, 1006),
            (.invalidPayloadData, 1007), (.policyViolation, 1008), (.messageTooBig, 1009),
            (.mandatoryExtension, 1010), (.internalError, 1011), (.serviceRestart, 1012),
            (.tryAgainLater, 1013), (.badGateway, 1014), (.tlsHandshake, 1015),
        ]
        for (code, number) in numbers {
            #expect(code.rawValue == number)
            #expect(code.description.hasPrefix("\(number) ("))
        }
    }

    @Test("It is described by its number, and its name where it has one")
    func description() {
        #expect(CloseCode.normalClosure.description == "1000 (normal closure)")
        #expect(CloseCode.goingAway.description == "1001 (going away)")
        #expect(CloseCode(rawValue: 4000).description == "4000")
        #expect(CloseCode(rawValue: 1004).description == "1004")
    }

    @Test("A number can be written where a code is wanted")
    func literal() {
        let code: CloseCode = 4321
        #expect(code == CloseCode(rawValue: 4321))
        #expect(code != 4322)
    }
}
