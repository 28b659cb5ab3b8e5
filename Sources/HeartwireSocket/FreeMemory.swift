#if canImport(Glibc)
    import Glibc
#endif

/// What the C library keeps of freed memory for what comes next.
///
/// glibc gives the free end of a heap back to the system once it is larger than 128 KiB, and the system clears it anew, page
/// by page. When each read brings a few messages of 64 KiB, which go before the next does, that costs half of what the
/// rest of their way does. The bound follows what a program does, as mallopt(3) has it: a block that is freed and had
/// a mapping of its own raises it to twice the block's size, which a message of 1 MiB would do, too. An app that has
/// set a bound itself keeps it (docs/decisions/0020).
enum FreeMemory {
    /// From so many bytes on glibc gives back what is free, unless it has learned better.
    static let givenBackBytes = 131_072

    /// Twice the most that one read takes, so that its messages and their copies stay below the bound.
    private static let blockBytes = 2 * EventLoop.readBufferBytes

    /// Lets memory of the size of one read's messages stay in the process. Done once; nothing of the block is touched.
    static func keepForNextRead() {
        _ = isKept
    }

    private static let isKept: Bool = {
        #if canImport(Glibc)
            UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16).deallocate()
        #endif
        return true
    }()
}
