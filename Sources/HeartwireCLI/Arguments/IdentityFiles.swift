import HeartwireSession

/// The PEM files with a certificate and its private key, as `--cert` and `--key` name them.
struct IdentityFiles: Sendable, Hashable {
    /// The file with the certificate; its authorities may follow it.
    var certificate: String
    /// The file with the private key: the same file where no other was named.
    var key: String

    private static let certificateOption = Option.text(
        "cert", "FILE", "Show this certificate, as PEM; its authorities may follow it.")
    private static let keyOption = Option.text(
        "key", "FILE",
        "The certificate's private key, as PEM without a passphrase, if it is not in the same file."
    )

    static let options = [certificateOption.spec, keyOption.spec]

    /// Names the files.
    init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads the values; `nil` where no certificate was named.
    ///
    /// - Throws: ``UsageError`` for a key without a certificate.
    init?(_ parsed: ParsedArguments) throws(UsageError) {
        let key = try parsed.value(of: Self.keyOption)
        guard let certificate = try parsed.value(of: Self.certificateOption) else {
            guard key == nil else {
                throw UsageError("'--key' needs '--cert'", command: parsed.command)
            }
            return nil
        }
        self.init(certificate: certificate, key: key ?? certificate)
    }

    /// Reads the files.
    ///
    /// - Throws: ``TextFile/Failure`` when one cannot be read.
    func identity() throws(TextFile.Failure) -> TLSIdentity {
        let certificates = try TextFile.read(certificate)
        // A pipe can be read once only.
        return TLSIdentity(
            certificates: certificates,
            privateKey: key == certificate ? certificates : try TextFile.read(key))
    }

    /// The files, as a failure of what they hold names them.
    var names: String { key == certificate ? certificate : "\(certificate) and \(key)" }
}
