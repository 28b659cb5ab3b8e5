import HeartwireSession
import HeartwireSocket

/// How `heartwire endpoint` speaks TLS.
struct EndpointTLSOptions: Sendable, Hashable {
    /// The PEM files with the certificate and its key; `nil` makes a certificate.
    var files: IdentityFiles?
    /// The file with the authorities of which a client must show a certificate; `nil` asks for none.
    var clientAuthorities: String?
    /// Where the certificate is written to.
    var copy: String?

    private static let tlsOption = Option.flag(
        "tls", "Speak TLS, with a certificate made for localhost unless one is given.")
    private static let clientsOption = Option.text(
        "client-ca", "FILE", "Let in only clients with a certificate of these authorities, as PEM.")
    private static let copyOption = Option.text(
        "write-cert", "FILE", "Write the certificate to FILE, for 'heartwire connect --ca FILE'.")

    static let options =
        [tlsOption.spec] + IdentityFiles.options + [copyOption.spec, clientsOption.spec]

    /// Reads the values; `nil` where no TLS is asked for.
    ///
    /// - Throws: ``UsageError`` when options contradict each other.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        files = try IdentityFiles(parsed)
        copy = try parsed.value(of: Self.copyOption)
        clientAuthorities = try parsed.value(of: Self.clientsOption)
        guard try parsed.value(of: Self.tlsOption) else {
            guard files == nil, copy == nil, clientAuthorities == nil else {
                throw UsageError(
                    "'--cert', '--key', '--write-cert' and '--client-ca' need '--tls'",
                    command: "endpoint")
            }
            return nil
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
        let identity = try files?.identity() ?? TLSIdentity.selfMade()
        var configuration = TLSServerConfiguration(identity)
        if let clientAuthorities {
            configuration.clientAuthorities = try TextFile.read(clientAuthorities)
        }
        let acceptor = try TLSAcceptor(configuration)
        let (hash, pin) = try identity.fingerprint()
        if let copy, case .failed(let line, _) = ReportFile.write(identity.certificates, to: copy) {
            throw UnwrittenCopy(description: line)
        }
        let digits = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return Server(acceptor: acceptor, line: "certificate \(digits.joined()), key \(pin)")
    }

    /// The certificate could not be written.
    struct UnwrittenCopy: Error, CustomStringConvertible {
        let description: String
    }
}
