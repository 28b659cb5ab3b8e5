import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Happy Eyeballs, against sockets of this machine. In real time: the attempt delay is 250 ms.
@Suite("Racing addresses", .timeLimit(.minutes(1)))
struct ConnectRaceTests {
    /// How a race ended, and after how long.
    struct Finish: Sendable, Equatable {
        var port: UInt16?
        var failure: ConnectionFailure?
        var elapsed: Duration
    }

    /// Races addresses on a loop of its own; afterwards nothing is watched and no timer runs.
    private func race(_ addresses: [SocketAddress]) async throws -> Finish {
        let loop = EventLoop(name: "race")
        let log = Log<Finish>()
        loop.execute {
            let begin = loop.now()
            let race = Kept()
            race.race = ConnectRace(addresses, on: loop) { result in
                race.race = nil
                let elapsed = begin.duration(to: loop.now())
                switch result {
                case .success(let descriptor):
                    log.add(Finish(port: Self.peerPort(descriptor), elapsed: elapsed))
                    close(descriptor)
                case .failure(let failure): log.add(Finish(failure: failure, elapsed: elapsed))
                }
            }
            race.race?.start()
        }
        let finish = await log.wait { !$0.isEmpty }
        #expect(try await on(loop) { [loop.watchedCount, loop.timerCount] } == [0, 0])
        loop.shutdown()
        return finish[0]
    }

    private final class Kept: @unchecked Sendable {
        var race: ConnectRace?
    }

    private static func peerPort(_ descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getpeername(descriptor, address, &length) == 0
                    ? SocketAddress(address, length: length)?.port : nil
            }
        }
    }

    @Test("K11-11: a black hole in front costs 250 ms, not the deadline")
    func blackHole() async throws {
        let (hole, port) = (try BlackHole(), try Listening())
        let finish = try await race([hole.address, port.address])
        #expect(finish.port == port.address.port)
        #expect(finish.elapsed >= .milliseconds(240))
        #expect(finish.elapsed < .seconds(5))
    }

    @Test("K11-11: a refusal in front costs nothing: the next address is tried at once")
    func refusal() async throws {
        let port = try Listening()
        let finish = try await race([try Listening.refusing(), port.address])
        #expect(finish.port == port.address.port)
        #expect(finish.elapsed < .milliseconds(240))
    }

    @Test("K11-11: of ten addresses the last one opens, and the losers' sockets are closed")
    func ten() async throws {
        let (hole, port) = (try BlackHole(), try Listening())
        let refusing = try Listening.refusing()
        let addresses = [hole.address] + [SocketAddress](repeating: refusing, count: 8)
        let finish = try await race(addresses + [port.address])
        #expect(finish.port == port.address.port)
        #expect(finish.elapsed < .seconds(5))
    }

    @Test("RFC 8305 5: when every address fails the first failure is told")
    func allFail() async throws {
        let refusing = try Listening.refusing()
        let finish = try await race([refusing, refusing])
        #expect(finish.failure?.kind == .refused)
        #expect(try await race([]).failure?.kind == .unreachable)
    }

    @Test("R5: a race that is cancelled reports nothing and leaves nothing")
    func cancelled() async throws {
        let hole = try BlackHole()
        let loop = EventLoop(name: "race")
        let left = try await on(loop) {
            let race = ConnectRace([hole.address, hole.address], on: loop) { _ in
                Issue.record("a cancelled race has ended")
            }
            race.start()
            race.cancel()
            return [loop.watchedCount, loop.timerCount]
        }
        #expect(left == [0, 0])
        loop.shutdown()
    }
}

/// A port of 127.0.0.1 that listens.
final class Listening: Sendable {
    let descriptor: Int32
    let address: SocketAddress

    init(backlog: Int32 = 16) throws {
        let socket = try TCPSocket.open(family: AF_INET)
        descriptor = socket
        let loopback = try Resolver.lookUp("127.0.0.1", port: 0, flags: AI_NUMERICHOST).get()[0]
        let bound = loopback.withSockaddr { bind(socket, $0, $1) }
        try #require(bound == 0 && listen(socket, backlog) == 0)
        address = try #require(SocketAddress.local(of: socket))
    }

    deinit { close(descriptor) }

    /// An address at which nobody listens any more.
    static func refusing() throws -> SocketAddress { try Listening().address }
}

/// A port whose backlog is full: the kernel drops what further asks to connect, without an answer.
final class BlackHole: Sendable {
    private let listening: Listening
    private let fillers: [Int32]

    var address: SocketAddress { listening.address }

    init() throws {
        let full = try Listening(backlog: 0)
        var fillers: [Int32] = []
        for _ in 0..<4 {
            let filler = try TCPSocket.open(family: AF_INET)
            fillers.append(filler)
            _ = try TCPSocket.connect(filler, to: full.address)
        }
        listening = full
        self.fillers = fillers
    }

    deinit {
        for filler in fillers { close(filler) }
    }
}
