import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// The few calls that the house makes on a stream socket. Every socket is non-blocking, closes on exec,
/// sends small writes at once (`TCP_NODELAY`) and never raises `SIGPIPE`.
enum TCPSocket {
    /// A non-blocking stream socket for `family`.
    static func open(family: Int32) throws(ConnectionFailure) -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(family, SOCK_STREAM, 0)
        #else
            let kind = Int32(SOCK_STREAM.rawValue) | heartwire_sock_flags
            let descriptor = socket(family, kind, 0)
        #endif
        guard descriptor >= 0 else { throw ConnectionFailure(errno: errno) }
        prepare(descriptor)
        return descriptor
    }

    /// Sets what each stream socket of the house has set.
    static func prepare(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        #if canImport(Darwin)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes closing send RST and drop what the kernel still holds.
    static func resetOnClose(_ descriptor: Int32) {
        var setting = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    /// The error that a connect or an asynchronous failure left behind; 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else {
            return errno
        }
        return number
    }

    /// Starts to connect. Answers whether it is done already.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(ConnectionFailure)
        -> Bool
    {
        let status = address.withSockaddr { systemConnect(descriptor, $0, $1) }
        if status == 0 { return true }
        // An interrupted connect goes on in the background, as one in progress does (POSIX connect).
        guard errno == EINPROGRESS || errno == EINTR else { throw ConnectionFailure(errno: errno) }
        return false
    }

    /// Whether a socket has connected to itself. An attempt to reach a port of this machine can be given that very port as its
    /// own, and where nobody listens TCP then opens from both ends at once (RFC 9293 §3.5).
    static func isConnectedToItself(_ descriptor: Int32) -> Bool {
        guard let own = SocketAddress.local(of: descriptor) else { return false }
        return own == SocketAddress.peer(of: descriptor)
    }

    /// What a read or a write came to.
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case failed(ConnectionFailure)
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        while true {
            let sent = systemSend(descriptor, bytes.baseAddress, bytes.count, flags)
            if sent >= 0 { return .bytes(sent) }
            if errno == EINTR { continue }
            if errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS { return .wouldBlock }
            return .failed(ConnectionFailure(errno: errno))
        }
    }

    /// How many bytes were written and not acknowledged by the peer's system; 0 where the system does not tell.
    static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<Int32>.size)
            let status = getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length)
        #else
            // SIOCOUTQ of tcp(7) under its other name.
            let status = ioctl(descriptor, UInt(TIOCOUTQ), &count)
        #endif
        return status == 0 ? Int(count) : 0
    }

    /// Zero bytes mean that the peer has finished writing.
    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Fills `first`, and then as much of `second` as there are bytes for, by one system call.
    static func receive(
        _ descriptor: Int32, into first: UnsafeMutableRawBufferPointer,
        then second: UnsafeMutableRawBufferPointer
    ) -> Transfer {
        let pieces = [
            iovec(iov_base: first.baseAddress, iov_len: first.count),
            iovec(iov_base: second.baseAddress, iov_len: second.count),
        ]
        return transfer { readv(descriptor, pieces, 2) }
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let got = call()
            if got >= 0 { return .bytes(got) }
            if errno == EINTR { continue }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            return .failed(ConnectionFailure(errno: errno))
        }
    }
}

// The names below are shadowed inside TCPSocket.
private func systemConnect(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
    connect(descriptor, address, length)
}

private func systemSend(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int {
    send(descriptor, bytes, count, flags)
}
