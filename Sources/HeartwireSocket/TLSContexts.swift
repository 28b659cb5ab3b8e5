#if canImport(COpenSSL)
    import HeartwireSession

    /// The contexts of the configurations that were used last: making one reads files, and what is resumed hangs on it.
    ///
    /// The system's authorities are so read once for all connections; a change of theirs needs a new process.
    final class TLSContexts: Sendable {
        /// The most configurations that are remembered.
        static let limit = 16
        /// Those of the event loops.
        static let shared = TLSContexts()

        private let contexts = Locked<[(configuration: TLSConfiguration, context: TLSContext)]>([])

        /// How many configurations are remembered.
        var count: Int { contexts.withLock { $0.count } }

        /// The context of a configuration.
        ///
        /// - Throws: `TLSFailure.configuration` when it cannot be used.
        func context(for configuration: TLSConfiguration) throws(TLSFailure) -> TLSContext {
            let known = contexts.withLock { contexts -> TLSContext? in
                guard let index = contexts.firstIndex(where: { $0.configuration == configuration })
                else { return nil }
                let entry = contexts.remove(at: index)
                contexts.append(entry)
                return entry.context
            }
            if let known { return known }
            let context = try TLSContext(configuration)
            contexts.withLock { contexts in
                if contexts.count == Self.limit { contexts.removeFirst() }
                contexts.append((configuration, context))
            }
            return context
        }
    }
#endif
