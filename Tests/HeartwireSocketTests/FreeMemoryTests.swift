#if canImport(Glibc)
    import Glibc
    import Testing

    @testable import HeartwireSocket

    @Suite("Free memory")
    struct FreeMemoryTests {
        private static let blockBytes = 65_536
        private static let pageBytes = 4_096

        /// A sanitizer, which has an allocator of its own, is started with options.
        private static let isSanitized =
            getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

        /// Pages that the system has given to the calling thread so far.
        private static var faults: Int {
            var usage = rusage()
            // RUSAGE_THREAD, which the module does not have.
            getrusage(__rusage_who_t(1), &usage)
            return usage.ru_minflt
        }

        /// Allocates what the messages of one read take, writes to each page of it, and lets it go in order.
        private static func round() {
            let blocks = (0..<(EventLoop.readBufferBytes / blockBytes)).map { _ in
                UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
            }
            for block in blocks {
                for offset in stride(from: 0, to: blockBytes, by: pageBytes) {
                    block.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
                }
            }
            for block in blocks { block.deallocate() }
        }

        @Test(
            "What the messages of one read took is there for the next, and not taken from the system anew",
            .disabled(if: isSanitized))
        func kept() {
            FreeMemory.keepForNextRead()
            let rounds = 40
            Self.round()
            let before = Self.faults
            for _ in 0..<rounds { Self.round() }
            let pages = rounds * EventLoop.readBufferBytes / Self.pageBytes
            #expect(Self.faults - before < pages / 4)
        }
    }
#endif
