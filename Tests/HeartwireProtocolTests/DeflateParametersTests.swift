import Testing

@testable import HeartwireProtocol

@Suite("RFC 7692 7.1: the four parameters")
struct DeflateParametersTests {
    /// The parameters of one element, or the fault as `clause: expected / seen`.
    private func read(
        _ parameters: String, isOffer: Bool = false
    ) -> (list: DeflateParameterList?, fault: String?) {
        guard let element = ExtensionElement.list(["permessage-deflate\(parameters)"])?.first else {
            return (nil, "grammar")
        }
        do throws(DeflateParameterList.Fault) {
            return (try DeflateParameterList(element, isOffer: isOffer), nil)
        } catch {
            return (nil, "\(error.clause): \(error.expected) / \(error.seen)")
        }
    }

    @Test("RFC 7692 7.1: all four are read, in any order and case")
    func lawful() {
        let all = read(
            "; CLIENT_max_window_bits=9; server_no_context_takeover; server_max_window_bits=\"15\""
                + "; client_no_context_takeover")
        #expect(all.list?.serverNoContextTakeover == true)
        #expect(all.list?.clientNoContextTakeover == true)
        #expect(all.list?.serverMaxWindowBits == 15)
        #expect(all.list?.clientMaxWindowBits == 9)
        let none = read("")
        #expect(none.list?.serverNoContextTakeover == false)
        #expect(none.list?.clientNoContextTakeover == false)
        #expect(none.list != nil && none.list?.serverMaxWindowBits == nil)
        #expect(none.list != nil && none.list?.clientMaxWindowBits == nil)
    }

    @Test("RFC 7692 7.1.2: windows from 8 to 15 are lawful")
    func windows() {
        for bits in 8...15 {
            #expect(read("; server_max_window_bits=\(bits)").list?.serverMaxWindowBits == bits)
            #expect(read("; client_max_window_bits=\(bits)").list?.clientMaxWindowBits == bits)
        }
    }

    @Test(
        "K07-02: any other window is not",
        arguments: ["7", "16", "015", "08", "0", "-1", "+9", "99999999999", "9a", "٩"])
    func otherWindows(_ value: String) {
        for name in ["server_max_window_bits", "client_max_window_bits"] {
            let fault = read("; \(name)=\(value)").fault
            let clause = name == "server_max_window_bits" ? "7.1.2.1" : "7.1.2.2"
            let words = "\(clause): \(name) from 8 to 15, without leading zeros / another value"
            #expect(fault == words || fault == "grammar")
        }
    }

    @Test("RFC 7692 7.1.2.2: only a client's offer may leave the client's window open")
    func bare() {
        #expect(read("; client_max_window_bits", isOffer: true).list?.clientMaxWindowBits == 0)
        #expect(read("; client_max_window_bits").fault?.hasSuffix(" / no value") == true)
        for isOffer in [true, false] {
            let fault = read("; server_max_window_bits", isOffer: isOffer).fault
            #expect(fault?.hasSuffix(" / no value") == true)
        }
    }

    @Test(
        "K07-02: what is repeated, has a value too many or is unknown is a fault",
        arguments: [
            (
                "; server_no_context_takeover; server_no_context_takeover",
                "7.1: server_no_context_takeover at most once / it twice"
            ),
            (
                "; client_max_window_bits=9; client_max_window_bits=9",
                "7.1: client_max_window_bits at most once / it twice"
            ),
            (
                "; server_no_context_takeover=1",
                "7.1.1.1: server_no_context_takeover without a value / a value"
            ),
            (
                "; client_no_context_takeover=true",
                "7.1.1.2: client_no_context_takeover without a value / a value"
            ),
            (
                "; unknown_param",
                "7.1: the four parameters of permessage-deflate and no other / an unknown parameter"
            ),
        ])
    func faults(_ parameters: String, fault: String) {
        #expect(read(parameters).fault == fault)
        #expect(read(parameters, isOffer: true).fault == fault)
    }

    @Test("RFC 7692 7.1: each side has its own window and its own way with contexts")
    func sides() {
        var parameters = DeflateParameters()
        parameters.clientMaxWindowBits = 9
        parameters.serverMaxWindowBits = 10
        parameters.serverNoContextTakeover = true
        #expect(parameters.windowBits(of: .client) == 9)
        #expect(parameters.windowBits(of: .server) == 10)
        #expect(parameters.keepsContext(of: .client))
        #expect(!parameters.keepsContext(of: .server))
    }
}
