import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ConnectionFailure {
    /// The class of failure that `errno` stands for.
    init(errno number: Int32) {
        switch number {
        case ECONNREFUSED: self.init(.refused, systemCode: number)
        case ECONNRESET, EPIPE, ECONNABORTED: self.init(.reset, systemCode: number)
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL, EACCES, EPERM:
            self.init(.unreachable, systemCode: number)
        case ETIMEDOUT: self.init(.timedOut, systemCode: number)
        default: self.init(.system, systemCode: number)
        }
    }
}
