public import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// The machine's monotonic clock that goes on counting while it sleeps: `CLOCK_BOOTTIME` on Linux,
/// `CLOCK_MONOTONIC` on Apple (promise L4).
public enum SystemClock {
    /// What the wall clock says, in whole seconds. Only a date that came from elsewhere is held against it, once.
    static func secondsSince1970() -> Int { time(nil) }

    /// The present instant; its origin is the machine's start.
    public static func now() -> MonotonicInstant {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
