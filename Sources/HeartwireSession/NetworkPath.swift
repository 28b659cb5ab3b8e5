/// What the network's paths are good for, as far as the machine itself can tell (promises L3, R6).
public enum NetworkPath: String, Sendable, Hashable, CaseIterable {
    /// A link is up and has an address that reaches beyond it.
    case usable
    /// There is none. Whoever is reached otherwise may still be reached: over the loopback, say.
    case unusable
}
