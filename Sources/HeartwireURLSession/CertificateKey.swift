import HeartwireProtocol
import HeartwireSession

/// The public key in a certificate, as pins are made of (RFC 7469 §2.4).
enum CertificateKey {
    /// Whether one of the chain's certificates, each in DER, holds a pinned key.
    ///
    /// - Parameter sha256: The hash of bytes, 32 bytes long.
    static func isPinned(
        _ chain: [[UInt8]], to pins: Set<PublicKeyPin>, sha256: ([UInt8]) -> [UInt8]
    ) -> Bool {
        chain.contains { certificate in
            guard let key = subjectPublicKeyInfo(in: certificate),
                let pin = PublicKeyPin(sha256: sha256(key))
            else { return false }
            return pins.contains(pin)
        }
    }

    /// The SubjectPublicKeyInfo of a certificate (RFC 5280 §4.1), both in DER; `nil` for what is no certificate.
    static func subjectPublicKeyInfo(in certificate: [UInt8]) -> [UInt8]? {
        guard let outer = DERElement(certificate[...]), outer.tag == DERElement.sequence,
            let signed = DERElement(outer.content), signed.tag == DERElement.sequence
        else { return nil }
        var rest = signed.content
        // The version may be left out; serial number, algorithm, issuer, validity and subject come before the key.
        if let version = DERElement(rest), version.tag == DERElement.version { rest = version.rest }
        for _ in 0..<5 {
            guard let element = DERElement(rest) else { return nil }
            rest = element.rest
        }
        guard let key = DERElement(rest), key.tag == DERElement.sequence else { return nil }
        return Array(key.whole)
    }

    /// The certificates in PEM text (RFC 7468), each in DER. What cannot be read is left out.
    static func certificates(inPEM text: String) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var digits: String?
        for line in text.split(whereSeparator: \.isNewline) {
            switch line.trimmingPrefix(while: \.isWhitespace) {
            case "-----BEGIN CERTIFICATE-----": digits = ""
            case "-----END CERTIFICATE-----":
                if let bytes = digits.flatMap({ Base64.decode($0) }) { found.append(bytes) }
                digits = nil
            case let words: digits?.append(contentsOf: words.filter { !$0.isWhitespace })
            }
        }
        return found
    }
}

/// One element of DER (X.690 §8.1), as far as certificates need it.
private struct DERElement {
    static let sequence: UInt8 = 0x30
    static let version: UInt8 = 0xA0

    let tag: UInt8
    /// The element with its tag and length.
    let whole: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>
    /// What stands behind the element.
    let rest: ArraySlice<UInt8>

    /// Reads the element that `bytes` begin with; `nil` when they hold none in full.
    init?(_ bytes: ArraySlice<UInt8>) {
        var body = bytes
        guard let tag = body.popFirst(), let first = body.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = length - 0x80
            guard (1...4).contains(count), body.count >= count else { return nil }
            length = body.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            body = body.dropFirst(count)
        }
        guard length <= body.count else { return nil }
        self.tag = tag
        content = body.prefix(length)
        rest = body.dropFirst(length)
        whole = bytes[bytes.startIndex..<rest.startIndex]
    }
}
