import HeartwireSession
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Looks names up with `getaddrinfo`, off the loop: a lookup may block for half a minute and cannot be
/// called back, so each has a thread of its own and its answer is dropped when nobody waits for it any more.
enum Resolver {
    /// Lookups under way at once in the process; further ones fail with `EAI_AGAIN` instead of piling up threads.
    static let maximumLookups = 64

    typealias Answer = Result<[SocketAddress], ConnectionFailure>

    /// What ``resolve(_:port:on:_:)`` is; a test puts another in its place.
    typealias Function =
        @Sendable (String, UInt16, EventLoop, @escaping @Sendable (Answer) -> Void) -> Void

    private static let underWay = Atomic<Int>(0)

    /// Looks `host` up and hands the addresses to `completion` on `loop`, never from within.
    ///
    /// `localhost` and the names below it are this machine, with a dot at their end, too (RFC 6761 §6.3): not every
    /// system knows that, and a server of names is not asked. Both families' loopbacks are tried, the system's own
    /// addresses first.
    static func resolve(
        _ host: String, port: UInt16, on loop: EventLoop,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) {
        if case .success(let addresses) = lookUp(host, port: port, flags: AI_NUMERICHOST) {
            return loop.execute { completion(.success(addresses)) }
        }
        let isLocal = isLocal(host)
        guard underWay.add(1, ordering: .relaxed).newValue <= maximumLookups else {
            underWay.subtract(1, ordering: .relaxed)
            return loop.execute {
                completion(.failure(ConnectionFailure(.resolution, systemCode: EAI_AGAIN)))
            }
        }
        let status = SystemThread.start(name: "heartwire-dns") {
            let answer = isLocal ? loopbacks(port: port) : lookUp(host, port: port, flags: 0)
            underWay.subtract(1, ordering: .relaxed)
            loop.execute { completion(answer) }
        }
        if status != 0 {
            underWay.subtract(1, ordering: .relaxed)
            loop.execute {
                completion(.failure(ConnectionFailure(.resolution, systemCode: EAI_AGAIN)))
            }
        }
    }

    /// Whether a name in lower case means this machine.
    static func isLocal(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static func loopbacks(port: UInt16) -> Answer {
        var addresses: [SocketAddress] = []
        for (host, flags) in [
            ("localhost", 0), ("127.0.0.1", AI_NUMERICHOST), ("::1", AI_NUMERICHOST),
        ] {
            guard case .success(let found) = lookUp(host, port: port, flags: flags) else {
                continue
            }
            addresses += found.filter { !addresses.contains($0) }
        }
        return .success(interleaved(addresses))
    }

    static func lookUp(_ host: String, port: UInt16, flags: Int32) -> Answer {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        guard status == 0 else {
            return .failure(ConnectionFailure(.resolution, systemCode: status))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = SocketAddress(entry.pointee.ai_addr, length: entry.pointee.ai_addrlen)
            {
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty
            ? .failure(ConnectionFailure(.resolution, systemCode: EAI_NONAME))
            : .success(interleaved(addresses))
    }

    /// IPv6 and IPv4 in turn, beginning with the family that the system's policy put first (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        var preferred = addresses.filter { $0.family == first.family }[...]
        var others = addresses.filter { $0.family != first.family }[...]
        var order: [SocketAddress] = []
        while !preferred.isEmpty || !others.isEmpty {
            if let address = preferred.popFirst() { order.append(address) }
            if let address = others.popFirst() { order.append(address) }
        }
        return order
    }
}
