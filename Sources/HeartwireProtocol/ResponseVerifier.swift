/// The rules that a 101 has to keep (RFC 6455 §4.1, the client's second list).
struct ResponseVerifier: Sendable {
    let acceptValue: String
    let subprotocols: [String]
    /// The offer of permessage-deflate, if there was one.
    let deflate: DeflateOptions?

    func verify(_ line: StatusLine, _ fields: HeaderFields) -> ResponseReader.Outcome {
        do throws(ProtocolViolation) {
            guard line.minorVersion == 1 else {
                throw .handshake(expected: "HTTP/1.1", seen: "a 101 in HTTP/1.0")
            }
            try verifyUpgrade(fields)
            try verifyAccept(fields)
            let compression = try verifiedCompression(fields)
            return .opened(
                OpeningResult(
                    subprotocol: try verifiedSubprotocol(fields), compression: compression,
                    headers: fields))
        } catch {
            return .failed(error)
        }
    }

    /// Items 2 and 3. The value has to be `websocket` and nothing beside it: a list would leave open
    /// which of the protocols follows.
    private func verifyUpgrade(_ fields: HeaderFields) throws(ProtocolViolation) {
        let expected = "the header Upgrade: websocket"
        let upgrades = fields.all("Upgrade")
        guard let upgrade = upgrades.first else {
            throw .handshake(expected: expected, seen: "none")
        }
        guard upgrades.count == 1, HTTPSyntax.equalsIgnoringCase(upgrade, "websocket") else {
            throw .handshake(expected: expected, seen: "another value")
        }
        guard fields.listContains("upgrade", in: "Connection") else {
            throw .handshake(
                expected: "the header Connection: Upgrade",
                seen: fields["Connection"] == nil ? "none" : "one without the token")
        }
    }

    /// Item 4. The value is compared as it is, case and all: it is Base64.
    private func verifyAccept(_ fields: HeaderFields) throws(ProtocolViolation) {
        let expected = "one Sec-WebSocket-Accept that matches the key"
        let values = fields.all("Sec-WebSocket-Accept")
        guard let value = values.first else { throw .handshake(expected: expected, seen: "none") }
        guard values.count == 1 else {
            throw .handshake(expected: expected, seen: "\(values.count) of them")
        }
        guard HTTPSyntax.equalsExactly(value, acceptValue) else {
            throw .handshake(expected: expected, seen: "another value")
        }
    }

    /// Item 5, and RFC 7692 §5.1. Names are compared without regard to case, as gateways rewrite it.
    private func verifiedCompression(
        _ fields: HeaderFields
    ) throws(ProtocolViolation) -> DeflateParameters? {
        guard let granted = ExtensionElement.list(fields.all("Sec-WebSocket-Extensions")) else {
            throw .handshake(
                expected: "extensions in the grammar of 9.1",
                seen: "something else in the extension negotiation")
        }
        for element in granted {
            guard deflate != nil,
                HTTPSyntax.equalsIgnoringCase(element.name, DeflateParameters.extensionName)
            else {
                throw .handshake(
                    expected: "no extension but those on offer",
                    seen: "another one in the extension negotiation")
            }
        }
        guard let answer = granted.first else { return nil }
        guard granted.count == 1 else {
            throw .negotiation(
                "5.1", expected: "one permessage-deflate", seen: "\(granted.count) of them")
        }
        return try deflate?.agreement(with: answer)
    }

    /// Item 6, and §11.3.4: the field stands there once, with one of the names on offer.
    private func verifiedSubprotocol(_ fields: HeaderFields) throws(ProtocolViolation) -> String? {
        let expected = "at most one subprotocol, out of those on offer"
        let values = fields.all("Sec-WebSocket-Protocol")
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            throw .handshake(expected: expected, seen: "\(values.count) headers")
        }
        guard subprotocols.contains(where: { HTTPSyntax.equalsExactly($0, value) }) else {
            throw .handshake(expected: expected, seen: "another one")
        }
        return value
    }
}

extension ProtocolViolation {
    /// A rule of RFC 6455 §4.1 that the server's answer broke.
    static func handshake(expected: String, seen: String) -> ProtocolViolation {
        .breach("4.1", expected: expected, seen: seen)
    }

    /// A head that is no lawful HTTP, or too long.
    init(_ fault: HeadFault) {
        self.init(
            closeCode: fault.isLimit ? .messageTooBig : .protocolError, clause: "4.1",
            expected: fault.expected, seen: fault.seen)
    }
}
