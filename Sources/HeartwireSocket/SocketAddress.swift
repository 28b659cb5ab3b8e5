#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An address that a socket can be connected or bound to, IPv4 or IPv6 with its port.
struct SocketAddress: Sendable, Equatable {
    private var storage: sockaddr_storage
    private let length: socklen_t

    /// Copies what the resolver gave.
    init?(_ address: UnsafePointer<sockaddr>?, length: socklen_t) {
        guard let address, Int(length) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        self.storage = storage
        self.length = length
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The port in host order.
    var port: UInt16 {
        withSockaddr { address, _ in
            family == AF_INET6
                ? UInt16(
                    bigEndian: address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                        $0.pointee.sin6_port
                    })
                : UInt16(
                    bigEndian: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        $0.pointee.sin_port
                    })
        }
    }

    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The address that a bound socket really has.
    static func local(of descriptor: Int32) -> SocketAddress? {
        ask { getsockname(descriptor, $0, $1) }
    }

    /// The address that a socket is connected to.
    static func peer(of descriptor: Int32) -> SocketAddress? {
        ask { getpeername(descriptor, $0, $1) }
    }

    private static func ask(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                call(address, &length) == 0 ? SocketAddress(address, length: length) : nil
            }
        }
    }

    /// Whether both have the same bytes.
    static func == (one: SocketAddress, other: SocketAddress) -> Bool {
        one.withSockaddr { first, firstLength in
            other.withSockaddr { second, secondLength in
                firstLength == secondLength && memcmp(first, second, Int(firstLength)) == 0
            }
        }
    }
}
