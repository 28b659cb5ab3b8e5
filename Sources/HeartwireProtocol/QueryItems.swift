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
        guard let mark = target.firstIndex(of: "?") else {
            items = []
            return
        }
        var items: [Item] = []
        for piece in target[target.index(after: mark)...].split(separator: "&") {
            let equals = piece.firstIndex(of: "=")
            let value = equals.map { piece[piece.index(after: $0)...] } ?? ""
            guard let name = HTTPSyntax.percentDecoded(piece[..<(equals ?? piece.endIndex)]),
                let value = HTTPSyntax.percentDecoded(value)
            else { throw MalformedError(position: items.count) }
            items.append(Item(name: name, value: value))
        }
        self.items = items
    }
}
