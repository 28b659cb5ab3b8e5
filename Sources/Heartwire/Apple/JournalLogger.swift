#if canImport(os)
    public import os

    extension ClientConfiguration {
        /// Writes the journal to the system's log, one line of JSON for each event (promise J2). The lines hold no
        /// payload, header value, token or query string, so they are logged as public.
        ///
        /// Not run on an Apple platform yet: type-checked against a stand-in for `os` (`scripts/check-apple`).
        public mutating func logJournal(to logger: Logger) {
            journal = { event in
                let line = event.jsonLine
                logger.log("\(line, privacy: .public)")
            }
        }
    }
#endif
