import HeartwireSession
import Testing

@testable import HeartwireSocket

@Suite("NetworkSnapshot: what a connection may depend on")
struct NetworkSnapshotTests {
    private typealias Bytes = NetlinkBytes
    private typealias Kind = NetlinkMessage.Kind

    private func snapshot(_ messages: [(UInt16, [UInt8])]) -> NetworkSnapshot {
        var snapshot = NetworkSnapshot()
        for (type, body) in messages {
            for message in NetlinkMessage.parse(Bytes.message(type, body)) { snapshot.add(message) }
        }
        return snapshot
    }

    private func concerns(_ type: UInt16, _ body: [UInt8]) -> Bool {
        NetlinkMessage.parse(Bytes.message(type, body)).allSatisfy(NetworkSnapshot.concerns)
    }

    @Test("L3: a path is usable where a link that is up has an address that reaches beyond it")
    func path() {
        let address = (Kind.newAddress, Bytes.address(2, [10, 0, 0, 1]))
        #expect(snapshot([]).path == .unusable)
        #expect(snapshot([address]).path == .unusable, "its link is not known")
        #expect(snapshot([(Kind.newLink, Bytes.link(2))]).path == .unusable, "no address")
        #expect(snapshot([(Kind.newLink, Bytes.link(2)), address]).path == .usable)
        for flags in [0, 0x1, 0x40, 0x49] as [UInt32] {
            #expect(
                snapshot([(Kind.newLink, Bytes.link(2, flags: flags)), address]).path == .unusable,
                "off, no carrier, or the loopback")
        }
        for (scope, path) in [(200, .usable), (253, .unusable), (254, .unusable)]
            as [(UInt8, NetworkPath)]
        {
            let address = (Kind.newAddress, Bytes.address(2, [254, 128], scope: scope, family: 10))
            #expect(snapshot([(Kind.newLink, Bytes.link(2)), address]).path == path)
        }
    }

    @Test("L3: an address that is still checked for another owner is not there yet")
    func tentative() {
        let tentative = Bytes.address(2, [1], flags: 0x40, family: 10)
        #expect(snapshot([(Kind.newAddress, tentative)]) == snapshot([]))
    }

    @Test("L3: a lifetime that is renewed is no change; another address, link or scope is")
    func addresses() {
        let plain = snapshot([(Kind.newAddress, Bytes.address(2, [10, 0, 0, 1]))])
        let renewed = Bytes.address(2, [10, 0, 0, 1], extra: Bytes.attribute(6, [1, 2, 3, 4]))
        #expect(snapshot([(Kind.newAddress, renewed)]) == plain)
        for other in [
            Bytes.address(2, [10, 0, 0, 2]), Bytes.address(3, [10, 0, 0, 1]),
            Bytes.address(2, [10, 0, 0, 1], scope: 253),
            Bytes.address(2, [10, 0, 0, 1], extra: Bytes.attribute(2, [10, 0, 0, 1])),
        ] {
            #expect(snapshot([(Kind.newAddress, other)]) != plain)
        }
    }

    @Test(
        "L3: a route is what its gateway, link and metric make it; the kernel's cache is no part of it"
    )
    func routes() {
        let gateway = Bytes.attribute(5, [10, 0, 0, 254])
        let plain = snapshot([(Kind.newRoute, Bytes.route(gateway))])
        let cached = Bytes.route(gateway + Bytes.attribute(12, [1, 2, 3, 4]))
        #expect(snapshot([(Kind.newRoute, cached)]) == plain)
        for other in [
            Bytes.route(Bytes.attribute(5, [10, 0, 0, 253])), Bytes.route(to: 24, gateway),
            Bytes.route(gateway + Bytes.attribute(4, [2, 0, 0, 0])), Bytes.route(),
        ] {
            #expect(snapshot([(Kind.newRoute, other)]) != plain)
        }
    }

    @Test("L3: no more routes are kept than the limit, and then the snapshot is full")
    func manyRoutes() {
        var snapshot = NetworkSnapshot()
        for number in 0..<NetworkSnapshot.maximumRoutes + 10 {
            #expect(snapshot.isFull == (number >= NetworkSnapshot.maximumRoutes))
            let body = Bytes.route(to: 32, Bytes.attribute(1, Bytes.number(UInt32(number))))
            snapshot.add(NetlinkMessage.parse(Bytes.message(Kind.newRoute, body))[0])
        }
        #expect(snapshot.routes.count == NetworkSnapshot.maximumRoutes)
    }

    @Test("L3: what no connection depends on concerns nobody")
    func concerns() {
        #expect(concerns(Kind.newLink, Bytes.link(1)))
        #expect(concerns(Kind.deletedLink, Bytes.link(1)))
        #expect(!concerns(Kind.newLink, Bytes.link(1, family: 7)), "a bridge's port")
        #expect(concerns(Kind.deletedAddress, Bytes.address(1, [])))
        #expect(!concerns(Kind.newAddress, Bytes.address(1, [], family: 28)))
        #expect(concerns(Kind.newRoute, Bytes.route(family: 10)))
        #expect(concerns(Kind.deletedRoute, Bytes.route()))
        #expect(!concerns(Kind.newRoute, Bytes.route(table: 255)), "the local table")
        #expect(!concerns(Kind.newRoute, Bytes.route(flags: 0x200)), "cached")
        #expect(!concerns(Kind.newRoute, Bytes.route(family: 28)))
        #expect(!concerns(99, Bytes.route()))
    }

    @Test(
        "L3: a body that is too short for its fields concerns nobody",
        arguments: [16, 17, 20, 21, 24, 25] as [UInt16])
    func shortBodies(type: UInt16) {
        let body =
            type < 18
            ? Bytes.link(1) : type < 22 ? Array(Bytes.address(1, []).prefix(8)) : Bytes.route()
        #expect(concerns(type, body))
        for count in 0..<body.count {
            #expect(!concerns(type, Array(body.prefix(count))))
            #expect(snapshot([(type, Array(body.prefix(count)))]) == snapshot([]))
        }
    }

    @Test(
        "L3: only a list's new entries are added, and a particular route is told from a default one"
    )
    func kinds() {
        #expect(snapshot([(Kind.deletedRoute, Bytes.route())]) == snapshot([]))
        func isParticular(_ type: UInt16, _ body: [UInt8]) -> Bool {
            NetworkSnapshot.isParticularRoute(NetlinkMessage.parse(Bytes.message(type, body))[0])
        }
        #expect(isParticular(Kind.newRoute, Bytes.route(to: 24)))
        #expect(isParticular(Kind.deletedRoute, Bytes.route(to: 1)))
        #expect(!isParticular(Kind.newRoute, Bytes.route(to: 0)))
        #expect(!isParticular(Kind.newAddress, Bytes.address(1, [])))
    }
}
