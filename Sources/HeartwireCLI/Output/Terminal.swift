#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What may be done on a descriptor that a person might be looking at.
struct Terminal: Sendable, Hashable {
    /// Whether it is a terminal that understands escape sequences.
    let isInteractive: Bool
    /// Whether colours are wanted there.
    let isColoured: Bool

    /// Looks at `descriptor` and at the environment: no colours when `NO_COLOR` is set to anything but nothing
    /// (no-color.org), no sequences at all when `TERM` is `dumb`.
    init(descriptor: Int32) {
        self.init(
            isTerminal: isatty(descriptor) == 1, noColor: environment("NO_COLOR"),
            term: environment("TERM"))
    }

    /// The rule by itself.
    init(isTerminal: Bool, noColor: String?, term: String?) {
        isInteractive = isTerminal && term != "dumb"
        isColoured = isInteractive && (noColor ?? "").isEmpty
    }
}

private func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
