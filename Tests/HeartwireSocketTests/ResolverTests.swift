import HeartwireSession
import Testing

@testable import HeartwireSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Looking names up", .timeLimit(.minutes(1)))
struct ResolverTests {
    private func resolve(_ host: String, on loop: EventLoop) async -> Resolver.Answer {
        await withHandover { handover in
            Resolver.resolve(host, port: 80, on: loop) { handover.resume(returning: $0) }
        }
    }

    @Test("A numeric address is its own answer, with the port", arguments: ["127.0.0.1", "::1"])
    func numeric(_ host: String) async throws {
        let loop = EventLoop(name: "test")
        let addresses = try await resolve(host, on: loop).get()
        #expect(addresses.count == 1)
        #expect(addresses[0].port == 80)
        #expect(addresses[0].family == (host == "::1" ? AF_INET6 : AF_INET))
        loop.shutdown()
    }

    @Test("localhost resolves, and the answer comes on the loop")
    func localhost() async throws {
        let loop = EventLoop(name: "test")
        let log = Log<Bool>()
        Resolver.resolve("localhost", port: 80, on: loop) { answer in
            #expect(loop.isCurrent)
            log.add((try? answer.get().isEmpty) == false)
        }
        #expect(await log.wait { !$0.isEmpty } == [true])
        loop.shutdown()
    }

    @Test(
        "RFC 6761 6.3: localhost and the names below it are this machine, with a dot or without",
        arguments: ["localhost.", "a.localhost", "xn--bcher-kva.localhost."])
    func belowLocalhost(_ host: String) async throws {
        let loop = EventLoop(name: "test")
        let local = try await resolve("localhost", on: loop).get()
        #expect(try await resolve(host, on: loop).get().map(\.family) == local.map(\.family))
        loop.shutdown()
    }

    @Test(
        "RFC 6761 6.3: both families' loopbacks are tried for localhost, whatever the hosts file says"
    )
    func bothLoopbacks() async throws {
        let loop = EventLoop(name: "test")
        let addresses = try await resolve("localhost", on: loop).get()
        for host in ["127.0.0.1", "::1"] {
            let own = try await resolve(host, on: loop).get()
            #expect(addresses.count { $0 == own[0] } == 1)
        }
        loop.shutdown()
    }

    @Test(
        "a name that only ends in the same letters, or begins with them, is the resolver's to know")
    func notLocal() {
        for host in ["notlocalhost", "localhost.test", "localhost..", ".", ""] {
            #expect(!Resolver.isLocal(host))
        }
    }

    @Test("A name that does not exist is a typed failure with the resolver's code")
    func unknown() async {
        let loop = EventLoop(name: "test")
        guard case .failure(let failure) = await resolve("no-such-host.invalid", on: loop) else {
            Issue.record("the name resolved")
            return
        }
        #expect(failure.kind == .resolution)
        #expect(failure.systemCode != 0)
        loop.shutdown()
    }

    @Test("RFC 8305 4: families take turns, beginning with the one that came first")
    func interleaved() throws {
        func addresses(_ host: String) throws -> SocketAddress {
            try Resolver.lookUp(host, port: 1, flags: AI_NUMERICHOST).get()[0]
        }
        let six = try ["::1", "::2", "::3"].map(addresses)
        let four = try ["127.0.0.1"].map(addresses)
        let families = Resolver.interleaved(six + four).map(\.family)
        #expect(families == [AF_INET6, AF_INET, AF_INET6, AF_INET6])
        #expect(Resolver.interleaved([]).isEmpty)
    }
}
