import Testing

@testable import HeartwireProtocol

@Suite("RFC 7692 5: how client and server agree")
struct DeflateNegotiationTests {
    private func options(
        server: Int = 15, client: Int = 15, serverForgets: Bool = false, clientForgets: Bool = false
    ) -> DeflateOptions {
        var options = DeflateOptions()
        options.serverMaxWindowBits = server
        options.clientMaxWindowBits = client
        options.serverNoContextTakeover = serverForgets
        options.clientNoContextTakeover = clientForgets
        return options
    }

    /// `server 15 client 15`, a side that forgets with a minus behind it; or what was expected and seen.
    private func answered(_ options: DeflateOptions, _ answer: String) throws -> String {
        let element = try #require(ExtensionElement.list([answer])?.first)
        do throws(ProtocolViolation) {
            return summary(try options.agreement(with: element))
        } catch {
            #expect(error.rfc == 7_692)
            #expect(error.closeCode == .protocolError)
            #expect(error.seen.hasSuffix(" in the extension negotiation"))
            return "\(error.clause): \(error.expected)"
        }
    }

    private func summary(_ agreed: DeflateParameters) -> String {
        "server \(agreed.serverMaxWindowBits)\(agreed.serverNoContextTakeover ? "-" : "") "
            + "client \(agreed.clientMaxWindowBits)\(agreed.clientNoContextTakeover ? "-" : "")"
    }

    private func offered(_ options: DeflateOptions, _ offers: String...) throws -> [String]? {
        let elements = try #require(ExtensionElement.list(offers))
        return options.accepted(outOf: elements).map { [$0.answer, summary($0.parameters)] }
    }

    @Test("RFC 7692 7.1: the offer says what is wanted, and always that a window can be set")
    func offer() {
        #expect(options().offer == "permessage-deflate; client_max_window_bits")
        #expect(
            options(server: 10, client: 9, serverForgets: true, clientForgets: true).offer
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                + "; server_max_window_bits=10; client_max_window_bits=9")
        #expect(
            options(server: 3, client: 99).offer
                == "permessage-deflate; server_max_window_bits=8; client_max_window_bits")
    }

    @Test("K07-12: a lawful answer opens with what it says")
    func answers() throws {
        let asked = options(server: 12)
        #expect(
            try answered(asked, "permessage-deflate; server_max_window_bits=10")
                == "server 10 client 15")
        #expect(
            try answered(asked, "permessage-deflate; server_no_context_takeover")
                == "server 15- client 15")
        #expect(
            try answered(asked, " permessage-deflate ;server_max_window_bits = 10 ")
                == "server 10 client 15")
        #expect(
            try answered(
                options(),
                "permessage-deflate; server_max_window_bits=8; client_max_window_bits=8;"
                    + "client_no_context_takeover") == "server 8 client 8-")
    }

    @Test("RFC 7692 7.1.1.2: a client keeps to what it has offered for itself")
    func ownPromise() throws {
        #expect(
            try answered(options(client: 11, clientForgets: true), "permessage-deflate")
                == "server 15 client 11-")
    }

    @Test("RFC 7692 7.1.2: an answer with a larger window than offered fails")
    func tooLarge() throws {
        #expect(
            try answered(options(server: 12), "permessage-deflate; server_max_window_bits=13")
                == "7.1.2.1: server_max_window_bits of at most 12, as offered")
        #expect(
            try answered(options(client: 12), "permessage-deflate; client_max_window_bits=13")
                == "7.1.2.2: client_max_window_bits of at most 12, as offered")
    }

    @Test("RFC 7692 7.1: an unlawful answer fails with the clause that it breaks")
    func unlawful() throws {
        #expect(
            try answered(options(), "permessage-deflate; client_max_window_bits")
                == "7.1.2.2: client_max_window_bits from 8 to 15, without leading zeros")
        #expect(
            try answered(options(), "permessage-deflate; x").hasPrefix("7.1: the four parameters"))
    }

    @Test("RFC 7692 7.1: a server answers what a client asks for, and adds its own wishes")
    func serverAnswers() throws {
        #expect(
            try offered(options(), "permessage-deflate")
                == ["permessage-deflate", "server 15 client 15"])
        #expect(
            try offered(options(), "permessage-deflate; client_max_window_bits")
                == ["permessage-deflate", "server 15 client 15"])
        #expect(
            try offered(
                options(),
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover;"
                    + "server_max_window_bits=15; client_max_window_bits=10")
                == [
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                        + "; server_max_window_bits=15; client_max_window_bits=10",
                    "server 15- client 10-",
                ])
        let wishes = options(server: 11, client: 9, serverForgets: true, clientForgets: true)
        #expect(
            try offered(
                wishes, "Permessage-Deflate; client_max_window_bits; server_max_window_bits=12")
                == [
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                        + "; server_max_window_bits=11; client_max_window_bits=9",
                    "server 11- client 9-",
                ])
    }

    @Test("RFC 7692 7.1.2.2: a client that does not mention its window keeps it")
    func silentClient() throws {
        #expect(
            try offered(options(client: 9), "permessage-deflate")
                == ["permessage-deflate", "server 15 client 15"])
    }

    @Test("RFC 7692 7.1: offers with anything unlawful are passed over, the next one counts")
    func fallback() throws {
        #expect(
            try offered(
                options(), "x-other, permessage-deflate; server_max_window_bits=7",
                "permessage-deflate; mystery", "permessage-deflate; server_max_window_bits=9",
                "permessage-deflate")
                == ["permessage-deflate; server_max_window_bits=9", "server 9 client 15"])
        #expect(try offered(options()) == nil)
        #expect(try offered(options(), "x-webkit-deflate-frame") == nil)
        #expect(try offered(options(), "permessage-deflate; server_max_window_bits") == nil)
    }

    @Test("Client and server come to the same parameters, whatever both want")
    func agreement() throws {
        for server in [options(), options(server: 9, client: 10, clientForgets: true)] {
            for client in [options(), options(server: 12, client: 8, serverForgets: true)] {
                let elements = try #require(ExtensionElement.list([client.offer]))
                let accepted = try #require(server.accepted(outOf: elements))
                let answer = try #require(ExtensionElement.list([accepted.answer])?.first)
                #expect(try client.agreement(with: answer) == accepted.parameters)
            }
        }
    }
}
