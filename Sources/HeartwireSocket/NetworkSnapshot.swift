import HeartwireSession

/// The links, addresses and routes of the machine at one moment, as far as a connection may depend on them.
///
/// Two snapshots are equal unless something has changed that may matter: lifetimes that were renewed, counters and
/// the caches of the kernel are left out.
struct NetworkSnapshot: Equatable {
    /// The routes that are kept. A router's table can have a million of them; those beyond are not looked at.
    static let maximumRoutes = 4_096

    struct Link: Equatable {
        /// Whether it is switched on and has a carrier.
        let isUp: Bool
        let isLoopback: Bool
    }

    struct Address: Hashable {
        let link: UInt32
        let family: UInt8
        let prefixBits: UInt8
        let scope: UInt8
        /// What ifaddrmsg's attributes IFA_ADDRESS and IFA_LOCAL hold.
        let bytes: [UInt8]
    }

    private(set) var links: [UInt32: Link] = [:]
    private(set) var addresses: Set<Address> = []
    /// Each route as the bytes that make it what it is.
    private(set) var routes: Set<[UInt8]> = []

    /// Whether the paths lead beyond the machine: a link other than the loopback is up and has an address of more
    /// than its own reach. Whether anybody answers there, only a connection can tell.
    var path: NetworkPath {
        let isUsable = addresses.contains { address in
            guard address.scope < Field.linkScope, let link = links[address.link] else {
                return false
            }
            return link.isUp && !link.isLoopback
        }
        return isUsable ? .usable : .unusable
    }

    /// Whether there may be more routes than are kept.
    var isFull: Bool { routes.count == Self.maximumRoutes }

    /// Adds what one message of a list tells.
    mutating func add(_ message: NetlinkMessage) {
        guard Self.concerns(message) else { return }
        switch message.type {
        case NetlinkMessage.Kind.newLink: addLink(message.body)
        case NetlinkMessage.Kind.newAddress: addAddress(message)
        case NetlinkMessage.Kind.newRoute: addRoute(message)
        default: return
        }
    }

    /// Whether a message tells of something that a snapshot holds: no bridge's port, no route but the main
    /// table's, nothing that the kernel has cached.
    static func concerns(_ message: NetlinkMessage) -> Bool {
        let body = message.body
        switch message.type {
        case NetlinkMessage.Kind.newLink, NetlinkMessage.Kind.deletedLink:
            return body.count >= Field.linkBytes && body.byte(at: 0) == Field.anyFamily
        case NetlinkMessage.Kind.newAddress, NetlinkMessage.Kind.deletedAddress:
            return body.count >= Field.addressBytes && Field.families.contains(body.byte(at: 0))
        case NetlinkMessage.Kind.newRoute, NetlinkMessage.Kind.deletedRoute:
            return body.count >= Field.routeBytes && Field.families.contains(body.byte(at: 0))
                && body.byte(at: 4) == Field.mainTable
                && body.number32(at: 8) & Field.clonedRoute == 0
        default: return false
        }
    }

    /// Whether a message tells of a route to less than everywhere.
    static func isParticularRoute(_ message: NetlinkMessage) -> Bool {
        switch message.type {
        case NetlinkMessage.Kind.newRoute, NetlinkMessage.Kind.deletedRoute:
            message.body.byte(at: 1) != 0
        default: false
        }
    }

    /// struct ifinfomsg: family, a gap, type, index, flags, change.
    private mutating func addLink(_ body: ArraySlice<UInt8>) {
        let flags = body.number32(at: 8)
        links[body.number32(at: 4)] = Link(
            isUp: flags & Field.upAndRunning == Field.upAndRunning,
            isLoopback: flags & Field.loopback != 0)
    }

    /// struct ifaddrmsg: family, bits of the prefix, flags, scope, index. An address that is still being checked for
    /// another owner cannot be used yet.
    private mutating func addAddress(_ message: NetlinkMessage) {
        let body = message.body
        guard body.byte(at: 2) & Field.tentativeAddress == 0 else { return }
        let bytes = message.attributes(after: Field.addressBytes).flatMap { attribute in
            Field.addressAttributes.contains(attribute.type) ? Array(attribute.value) : []
        }
        addresses.insert(
            Address(
                link: body.number32(at: 4), family: body.byte(at: 0), prefixBits: body.byte(at: 1),
                scope: body.byte(at: 3), bytes: bytes))
    }

    /// struct rtmsg: family, bits of the destination and the source, service, table, protocol, scope, type, flags.
    private mutating func addRoute(_ message: NetlinkMessage) {
        guard routes.count < Self.maximumRoutes else { return }
        var route = Array(message.body.prefix(8))
        for attribute in message.attributes(after: Field.routeBytes)
        where attribute.type != Field.cacheAttribute {
            route.append(UInt8(truncatingIfNeeded: attribute.type))
            route.append(UInt8(truncatingIfNeeded: attribute.value.count))
            route += attribute.value
        }
        routes.insert(route)
    }

    /// Offsets, sizes and values of linux/if_link.h, linux/if_addr.h and linux/rtnetlink.h.
    private enum Field {
        static let anyFamily: UInt8 = 0
        /// AF_INET and AF_INET6.
        static let families: [UInt8] = [2, 10]
        static let linkBytes = 16
        static let addressBytes = 8
        static let routeBytes = 12
        /// IFF_UP and IFF_RUNNING.
        static let upAndRunning: UInt32 = 0x41
        /// IFF_LOOPBACK.
        static let loopback: UInt32 = 0x8
        /// IFA_F_TENTATIVE.
        static let tentativeAddress: UInt8 = 0x40
        /// RT_SCOPE_LINK: addresses of this scope and more do not reach beyond their link.
        static let linkScope: UInt8 = 253
        /// IFA_ADDRESS and IFA_LOCAL.
        static let addressAttributes: [UInt16] = [1, 2]
        /// RT_TABLE_MAIN.
        static let mainTable: UInt8 = 254
        /// RTM_F_CLONED.
        static let clonedRoute: UInt32 = 0x200
        /// RTA_CACHEINFO.
        static let cacheAttribute: UInt16 = 12
    }
}
