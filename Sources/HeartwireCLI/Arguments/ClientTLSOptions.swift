import HeartwireSession
import HeartwireSocket

/// How a command that is a client checks a `wss:` server, and what it shows of itself.
struct ClientTLSOptions: Sendable, Hashable {
    /// The file with the authorities that are trusted instead of the system's.
    var authorities: String?
    /// Whether the server's certificate is not looked at.
    var isInsecure = false
    /// Keys of which the server must show one.
    var pins: Set<PublicKeyPin> = []
    /// What is shown to a server that asks for a certificate.
    var identity: IdentityFiles?

    private static let authoritiesOption = Option.text(
        "ca", "FILE", "Trust the certificates in this PEM file instead of the system's.")
    private static let insecureOption = Option.flag(
        "insecure", "Do not check the server's certificate: anybody may listen then.")
    private static let pinOption = Option.texts(
        "pin", "SHA256", "Demand this public key (Base64 of its SHA-256 hash) of the server.")

    static let options =
        [authoritiesOption.spec, insecureOption.spec, pinOption.spec] + IdentityFiles.options

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit, or options that need TLS, which there will be none of.
    init(_ parsed: ParsedArguments, mayBeSecure: Bool) throws(UsageError) {
        authorities = try parsed.value(of: Self.authoritiesOption)
        isInsecure = try parsed.value(of: Self.insecureOption)
        for text in try parsed.value(of: Self.pinOption) {
            guard let pin = PublicKeyPin(text) else {
                throw UsageError("'--pin' needs 32 bytes in Base64", command: parsed.command)
            }
            pins.insert(pin)
        }
        identity = try IdentityFiles(parsed)
        guard mayBeSecure || self == ClientTLSOptions() else {
            throw UsageError(
                "'--ca', '--insecure', '--pin', '--cert' and '--key' need wss://",
                command: parsed.command)
        }
        if isInsecure, authorities != nil {
            throw UsageError("give '--ca' or '--insecure', not both", command: parsed.command)
        }
    }

    /// Asks for nothing.
    init() {}

    /// What the options ask the client for.
    ///
    /// - Throws: ``TextFile/Failure`` when a file cannot be read or holds nothing of use.
    func configuration() throws(TextFile.Failure) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        if let authorities {
            configuration.trust = .certificates(pem: try TextFile.read(authorities))
            try Self.check(configuration, of: authorities)
        }
        if let identity {
            configuration.identity = try identity.identity()
            try Self.check(configuration, of: identity.names)
        }
        if isInsecure { configuration.dangerouslyAcceptAnyCertificate() }
        configuration.pins = pins
        return configuration
    }

    private static func check(
        _ configuration: TLSConfiguration, of files: String
    ) throws(TextFile.Failure) {
        do throws(TLSFailure) {
            try configuration.validate()
        } catch {
            throw TextFile.Failure(description: "\(displaySafe(files)): \(error)")
        }
    }
}
