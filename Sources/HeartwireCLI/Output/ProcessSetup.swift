#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What has to hold in the whole process before any command runs.
enum ProcessSetup {
    /// Makes a broken pipe an error of `write` instead of a signal, and keeps descriptors 0, 1 and 2 taken.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        letQuitEnd()
        keepStandardDescriptors()
    }

    /// The Swift runtime may take SIGQUIT for a crash, and then tells of it and goes on. Who asked for it to be ignored
    /// keeps that.
    private static func letQuitEnd() {
        let previous = signal(SIGQUIT, SIG_DFL)
        guard unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else {
            return
        }
        signal(SIGQUIT, SIG_IGN)
    }

    /// When the program was started with one of them closed, the next socket would take its number and
    /// diagnostics would be sent to the peer. A write-only input and read-only outputs fill the
    /// gap, so that using them is still the error that it would have been.
    private static func keepStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            let flags = descriptor == 0 ? O_WRONLY : O_RDONLY
            guard open("/dev/null", flags) == descriptor else { return }
        }
    }
}
