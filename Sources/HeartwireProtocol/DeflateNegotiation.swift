// How client and server come to agree on permessage-deflate (RFC 7692 §5 and §7.1).

extension DeflateOptions {
    /// The windows within the bounds of §7.1.2.
    private var serverBits: Int { min(15, max(8, serverMaxWindowBits)) }
    private var clientBits: Int { min(15, max(8, clientMaxWindowBits)) }

    /// Client: the offer, as it stands in `Sec-WebSocket-Extensions`.
    ///
    /// `client_max_window_bits` is always there, because without it a server that wants a smaller window
    /// could only decline (§7.1.2.2).
    var offer: String {
        var offer = DeflateParameters.extensionName
        if serverNoContextTakeover { offer += "; server_no_context_takeover" }
        if clientNoContextTakeover { offer += "; client_no_context_takeover" }
        if serverBits < 15 { offer += "; server_max_window_bits=\(serverBits)" }
        offer += "; client_max_window_bits"
        if clientBits < 15 { offer += "=\(clientBits)" }
        return offer
    }

    /// Client: what a server's answer to ``offer`` settles.
    ///
    /// A server that leaves out what was asked of it is taken at its word: contexts are kept, and windows are
    /// full, which a client that can inflate anything need not mind.
    ///
    /// - Throws: a violation when the answer is unlawful or asks for what was not on offer (§5.1, §7.1).
    func agreement(with answer: ExtensionElement) throws(ProtocolViolation) -> DeflateParameters {
        let list: DeflateParameterList
        do throws(DeflateParameterList.Fault) {
            list = try DeflateParameterList(answer, isOffer: false)
        } catch {
            throw .negotiation(error.clause, expected: error.expected, seen: error.seen)
        }
        var agreed = DeflateParameters()
        agreed.serverNoContextTakeover = list.serverNoContextTakeover
        // §7.1.1.2: a client that has said so does it whether or not the server repeats it.
        agreed.clientNoContextTakeover = list.clientNoContextTakeover || clientNoContextTakeover
        agreed.serverMaxWindowBits = list.serverMaxWindowBits ?? 15
        agreed.clientMaxWindowBits = min(list.clientMaxWindowBits ?? 15, clientBits)
        if let bits = list.serverMaxWindowBits, bits > serverBits {
            throw .negotiation(
                "7.1.2.1", expected: "server_max_window_bits of at most \(serverBits), as offered",
                seen: "a larger one")
        }
        if let bits = list.clientMaxWindowBits, bits > clientBits {
            throw .negotiation(
                "7.1.2.2", expected: "client_max_window_bits of at most \(clientBits), as offered",
                seen: "a larger one")
        }
        return agreed
    }

    /// Server: the first of a client's offers that can be accepted, with the answer to it.
    ///
    /// An offer with a parameter that is unknown, unlawful or repeated is passed over (§7.1), and so are other
    /// extensions. `nil` when nothing is left: the connection then goes without compression.
    func accepted(
        outOf offers: [ExtensionElement]
    ) -> (parameters: DeflateParameters, answer: String)? {
        for offer in offers {
            guard HTTPSyntax.equalsIgnoringCase(offer.name, DeflateParameters.extensionName),
                let list = try? DeflateParameterList(offer, isOffer: true)
            else { continue }
            return accepted(list)
        }
        return nil
    }

    private func accepted(
        _ list: DeflateParameterList
    ) -> (parameters: DeflateParameters, answer: String) {
        var agreed = DeflateParameters()
        var answer = DeflateParameters.extensionName
        agreed.serverNoContextTakeover = list.serverNoContextTakeover || serverNoContextTakeover
        if agreed.serverNoContextTakeover { answer += "; server_no_context_takeover" }
        agreed.clientNoContextTakeover = list.clientNoContextTakeover || clientNoContextTakeover
        if agreed.clientNoContextTakeover { answer += "; client_no_context_takeover" }
        agreed.serverMaxWindowBits = min(serverBits, list.serverMaxWindowBits ?? 15)
        if agreed.serverMaxWindowBits < 15 || list.serverMaxWindowBits != nil {
            answer += "; server_max_window_bits=\(agreed.serverMaxWindowBits)"
        }
        // §7.1.2.2: only a client that mentions its window can be asked for a smaller one.
        if let offered = list.clientMaxWindowBits {
            agreed.clientMaxWindowBits = min(clientBits, offered == 0 ? 15 : offered)
            if agreed.clientMaxWindowBits < 15 || offered != 0 {
                answer += "; client_max_window_bits=\(agreed.clientMaxWindowBits)"
            }
        }
        return (agreed, answer)
    }
}

extension ProtocolViolation {
    /// A rule of RFC 7692 that the server's answer broke.
    static func negotiation(
        _ clause: String, expected: String, seen: String
    ) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .protocolError, clause: clause, expected: expected,
            seen: "\(seen) in the extension negotiation", rfc: 7692)
    }
}
