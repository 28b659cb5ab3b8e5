import HeartwireSession

/// How `heartwire connect` checks a `wss:` server.
struct ConnectTLSOptions: Sendable, Hashable {
    /// The file with the authorities that are trusted instead of the system's.
    var authorities: String?
    /// Whether the server's certificate is not looked at.
    var isInsecure = false
    /// Keys of which the server must show one.
    var pins: Set<PublicKeyPin> = []

    private static let authoritiesOption = Option.text(
        "ca", "FILE", "Trust the certificates in this PEM file instead of the system's.")
    private static let insecureOption = Option.flag(
        "insecure", "Do not check the server's certificate: anybody may listen then.")
    private static let pinOption = Option.texts(
        "pin", "SHA256", "Demand this public key (Base64 of its SHA-256 hash) of the server.")

    static let options = [authoritiesOption.spec, insecureOption.spec, pinOption.spec]

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit, or options that need a `wss:` URL.
    init(_ parsed: ParsedArguments, isSecure: Bool) throws(UsageError) {
        authorities = try parsed.value(of: Self.authoritiesOption)
        isInsecure = try parsed.value(of: Self.insecureOption)
        for text in try parsed.value(of: Self.pinOption) {
            guard let pin = PublicKeyPin(text) else {
                throw UsageError("'--pin' needs 32 bytes in Base64", command: "connect")
            }
            pins.insert(pin)
        }
        guard isSecure || self == ConnectTLSOptions() else {
            throw UsageError("'--ca', '--insecure' and '--pin' need wss://", command: "connect")
        }
        if isInsecure, authorities != nil {
            throw UsageError("give '--ca' or '--insecure', not both", command: "connect")
        }
    }

    /// Asks for nothing.
    init() {}

    /// What the options ask the client for.
    ///
    /// - Throws: ``TextFile/Failure`` when the file cannot be read.
    func configuration() throws(TextFile.Failure) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        if let authorities {
            configuration.trust = .certificates(pem: try TextFile.read(authorities))
        }
        if isInsecure { configuration.dangerouslyAcceptAnyCertificate() }
        configuration.pins = pins
        return configuration
    }
}
