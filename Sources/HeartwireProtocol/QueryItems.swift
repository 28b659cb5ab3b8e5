/// The query of a request target as names and values (RFC 3986 §3.4), for the controllable endpoint.
public struct QueryItems: Sendable, Hashable {
    /// One `name=value`, decoded.
    public struct Item: Sendable, Hashable {
        /// What stands before the first `=`.
        public let name: String
        /// What stands behind it; empty when there is no `=`.
        public let value: String

        /// States an item.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Why a query cannot be read. It holds nothing of the query.
    public struct MalformedError: Error, Sendable, Hashable, CustomStringConvertible {
        /// Which item is at fault, counted from zero.
        public let position: Int

        /// One line that says what to change.
        public var description: String {
            "query item \(position): each % must begin an escape such as %20, and all escapes must be UTF-8"
        }
    }

    /// The items in order; repeated names are kept, empty items are not.
    public let items: [Item]

    /// Reads what follows the first `?` of a target. A plus sign stands for itself.
    ///
    /// - Throws: ``MalformedError`` for a percent sign without two hexadecimal digits behind
    ///   it, and for bytes that are not UTF-8.
    public init(target: String) throws(MalformedError) {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            items = []
            return
        }
        var items: [Item] = []
        let query = target.utf8[target.utf8.index(after: mark)...]
        for piece in query.split(separator: UInt8(ascii: "&")) {
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            let value = piece[name.endIndex...].dropFirst()
            guard let name = HTTPSyntax.percentDecoded(Substring(name)),
                let value = HTTPSyntax.percentDecoded(Substring(value))
            else { throw MalformedError(position: items.count) }
            items.append(Item(name: name, value: value))
        }
        self.items = items
    }
}
