#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What this process holds of the machine's memory.
enum ProcessMemory {
    /// The resident bytes now; on systems without `/proc` the most that there ever were, and 0 where nobody tells.
    static var residentBytes: Int {
        #if os(Linux)
            guard let file = fopen("/proc/self/statm", "r") else { return 0 }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                .split(separator: " ")
            guard words.count > 1, let pages = Int(words[1]) else { return 0 }
            return pages * Int(getpagesize())
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }
}
