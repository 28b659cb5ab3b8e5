import HeartwireSession
import Testing

@testable import HeartwireSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct TCPSocketTests {
    /// A socket that connects to where it is bound itself, as the system can let happen by chance.
    private func connectedToItself(_ host: String) throws -> Int32 {
        guard case .success(let addresses) = Resolver.lookUp(host, port: 0, flags: AI_NUMERICHOST)
        else { throw ConnectionFailure(.unreachable) }
        let address = try #require(addresses.first)
        let descriptor = try TCPSocket.open(family: address.family)
        #expect(address.withSockaddr { bind(descriptor, $0, $1) } == 0)
        let own = try #require(SocketAddress.local(of: descriptor))
        if try !TCPSocket.connect(descriptor, to: own) {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            #expect(poll(&waiting, 1, 5_000) == 1)
        }
        return descriptor
    }

    @Test(
        "T2: a socket that has connected to itself is told from one with a server",
        arguments: ["127.0.0.1", "::1"])
    func itself(host: String) throws {
        let descriptor = try connectedToItself(host)
        defer { close(descriptor) }
        #expect(TCPSocket.pendingError(descriptor) == 0, "for the system it is a connection")
        #expect(TCPSocket.isConnectedToItself(descriptor))
    }

    @Test("T2: neither end of a connection between two sockets is one to itself")
    func others() async throws {
        let loop = EventLoop(name: "others")
        defer { loop.shutdown() }
        let accepted = Log<Bool>()
        let listener = try TCPListener.listen(on: loop) { channel in
            accepted.add(TCPSocket.isConnectedToItself(channel.descriptor))
            channel.abort(reset: false)
        }
        defer { listener.close() }
        guard
            case .success(let addresses) = Resolver.lookUp(
                "127.0.0.1", port: listener.port, flags: AI_NUMERICHOST)
        else { throw ConnectionFailure(.unreachable) }
        let address = try #require(addresses.first)
        let descriptor = try TCPSocket.open(family: address.family)
        defer { close(descriptor) }
        _ = try TCPSocket.connect(descriptor, to: address)
        #expect(await accepted.wait { !$0.isEmpty } == [false])
        #expect(!TCPSocket.isConnectedToItself(descriptor))
    }

    @Test("a socket that is not connected is connected to nobody")
    func unconnected() throws {
        let descriptor = try TCPSocket.open(family: AF_INET)
        defer { close(descriptor) }
        #expect(!TCPSocket.isConnectedToItself(descriptor))
        #expect(!TCPSocket.isConnectedToItself(-1))
    }
}
