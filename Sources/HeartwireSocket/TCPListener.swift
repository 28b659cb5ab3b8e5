import HeartwireSession

#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// Accepts TCP connections on an event loop.
public final class TCPListener: ReadinessHandler, @unchecked Sendable {
    /// Connections that the kernel holds for us until they are accepted.
    static let backlog: Int32 = 4_096
    /// How long accepting rests when the process has no descriptor left, instead of spinning.
    static let restAfterExhaustion = Duration.milliseconds(100)

    private let loop: EventLoop
    private var descriptor: Int32
    private var token: UInt64?
    private let accepted: (TCPChannel) -> Void

    /// The port that is listened on, in host order.
    public let port: UInt16

    private init(
        descriptor: Int32, port: UInt16, loop: EventLoop, accepted: @escaping (TCPChannel) -> Void
    ) {
        self.descriptor = descriptor
        self.port = port
        self.loop = loop
        self.accepted = accepted
    }

    deinit {
        if descriptor >= 0 { systemClose(descriptor) }
    }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - host: A numeric address; names are not looked up.
    ///   - port: The port, or 0 for one that the system picks.
    ///   - loop: Where the connections are to live.
    ///   - accepted: Called on the loop with each connection; set its handler, then call `start()`.
    /// - Throws: ``ListenFailure``, when the address is not one of this machine or the port is taken.
    public static func listen(
        host: String = "127.0.0.1", port: UInt16 = 0, on loop: EventLoop,
        accepted: @escaping @Sendable (TCPChannel) -> Void
    ) throws(ListenFailure) -> TCPListener {
        guard
            case .success(let addresses) = Resolver.lookUp(
                host, port: port, flags: AI_NUMERICHOST | AI_PASSIVE),
            let address = addresses.first
        else { throw ListenFailure(host: host, port: port, systemCode: EINVAL) }
        let descriptor: Int32
        do throws(ConnectionFailure) {
            descriptor = try TCPSocket.open(family: address.family)
        } catch {
            throw ListenFailure(host: host, port: port, systemCode: error.systemCode)
        }
        TCPSocket.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        let bound = address.withSockaddr { bind(descriptor, $0, $1) }
        guard bound == 0, systemListen(descriptor, backlog) == 0,
            let local = SocketAddress.local(of: descriptor)
        else {
            let number = errno
            systemClose(descriptor)
            throw ListenFailure(host: host, port: port, systemCode: number)
        }
        let listener = TCPListener(
            descriptor: descriptor, port: local.port, loop: loop, accepted: accepted)
        loop.execute { listener.resume() }
        return listener
    }

    private func resume() {
        guard descriptor >= 0, token == nil else { return }
        token = loop.watch(descriptor, .read, self)
    }

    private func pause() {
        if let token { loop.unwatch(descriptor, token: token) }
        token = nil
    }

    /// Stops listening. Connections that were accepted are not touched. Any thread may call this.
    public func close() {
        loop.execute {
            self.pause()
            if self.descriptor >= 0 { systemClose(self.descriptor) }
            self.descriptor = -1
        }
    }

    func becameReady(_ readiness: Readiness) {
        while descriptor >= 0 {
            #if canImport(Darwin)
                let connection = accept(descriptor, nil, nil)
            #else
                let connection = accept4(descriptor, nil, nil, heartwire_sock_flags)
            #endif
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                    rest()
                }
                return
            }
            TCPSocket.prepare(connection)
            accepted(TCPChannel(accepted: connection, on: loop))
        }
    }

    private func rest() {
        pause()
        _ = loop.schedule(at: loop.now().advanced(by: Self.restAfterExhaustion)) { [weak self] in
            self?.resume()
        }
    }
}

/// Why an address could not be listened on.
public struct ListenFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address that was asked for.
    public let host: String
    /// The port that was asked for.
    public let port: UInt16
    /// The system's error number.
    public let systemCode: Int32

    /// One line that says what to do about it.
    public var description: String {
        switch systemCode {
        case EADDRINUSE: "port \(port) on \(host) is in use: choose another, or 0 for a free one"
        case EADDRNOTAVAIL, EINVAL: "\(host) is not an address of this machine"
        case EACCES: "port \(port) needs privileges: choose one above 1023"
        default: "cannot listen on \(host) port \(port) (errno \(systemCode))"
        }
    }
}

private func systemClose(_ descriptor: Int32) {
    #if canImport(Darwin)
        Darwin.close(descriptor)
    #else
        Glibc.close(descriptor)
    #endif
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}
