import HeartwireSession
import HeartwireSocket

/// How `heartwire endpoint` speaks TLS.
struct EndpointTLSOptions: Sendable, Hashable {
    /// The PEM files with the certificate and its key; `nil` makes a certificate.
    var files: Files?
    /// Where the certificate is written to.
    var copy: String?

    struct Files: Sendable, Hashable {
        var certificate: String
        var key: String
    }

    private static let tlsOption = Option.flag(
        "tls", "Speak TLS, with a certificate made for localhost unless one is given.")
    private static let certificateOption = Option.text(
        "cert", "FILE", "The certificate, as PEM; its authorities may follow it.")
    private static let keyOption = Option.text(
        "key", "FILE", "The certificate's private key, as PEM without a passphrase.")
    private static let copyOption = Option.text(
        "write-cert", "FILE", "Write the certificate to FILE, for 'heartwire connect --ca FILE'.")

    static let options = [
        tlsOption.spec, certificateOption.spec, keyOption.spec, copyOption.spec,
    ]

    /// Reads the values; `nil` where no TLS is asked for.
    ///
    /// - Throws: ``UsageError`` when options contradict each other.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        let certificate = try parsed.value(of: Self.certificateOption)
        let key = try parsed.value(of: Self.keyOption)
        copy = try parsed.value(of: Self.copyOption)
        guard try parsed.value(of: Self.tlsOption) else {
            guard certificate == nil, key == nil, copy == nil else {
                throw UsageError(
                    "'--cert', '--key' and '--write-cert' need '--tls'", command: "endpoint")
            }
            return nil
        }
        switch (certificate, key) {
        case (let certificate?, let key?): files = Files(certificate: certificate, key: key)
        case (nil, nil): files = nil
        case (_?, nil), (nil, _?):
            throw UsageError("give '--cert' and '--key' together", command: "endpoint")
        }
    }

    /// What the server shows, and a line that lets a client know it.
    struct Server {
        var acceptor: TLSAcceptor
        var line: String
    }

    /// Reads or makes the certificate, and writes it where that is asked for.
    ///
    /// - Throws: `TLSFailure`, ``TextFile/Failure`` or ``UnwrittenCopy``; each is one line.
    func server() throws -> Server {
        let identity = try identity()
        let acceptor = try TLSAcceptor(TLSServerConfiguration(identity))
        let (hash, pin) = try identity.fingerprint()
        if let copy, case .failed(let line) = ReportFile.write(identity.certificates, to: copy) {
            throw UnwrittenCopy(description: line)
        }
        let digits = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return Server(acceptor: acceptor, line: "certificate \(digits.joined()), key \(pin)")
    }

    /// The certificate could not be written.
    struct UnwrittenCopy: Error, CustomStringConvertible {
        let description: String
    }

    private func identity() throws -> TLSIdentity {
        guard let files else { return try TLSIdentity.selfMade() }
        return TLSIdentity(
            certificates: try TextFile.read(files.certificate),
            privateKey: try TextFile.read(files.key))
    }
}
