import HeartwireProtocol
import Testing

@Suite struct QueryItemsTests {
    private func pairs(_ target: String) throws -> [[String]] {
        try QueryItems(target: target).items.map { [$0.name, $0.value] }
    }

    static let targets: [(String, [[String]])] = [
        ("/", []), ("/?", []), ("/?&&", []), ("", []), ("?a=1", [["a", "1"]]),
        ("/p?a=1&b=2&a=3", [["a", "1"], ["b", "2"], ["a", "3"]]),
        ("/?a", [["a", ""]]), ("/?a=", [["a", ""]]), ("/?=a", [["", "a"]]),
        ("/?a=b=c", [["a", "b=c"]]),
        ("/?freeze@100", [["freeze@100", ""]]), ("/?a+b=c+d", [["a+b", "c+d"]]),
        ("/?%61%3D=%26%2B", [["a=", "&+"]]), ("/?q=%c3%a9", [["q", "é"]]),
        ("/?a=/?", [["a", "/?"]]),
        ("/?a=\u{301}", [["a", "\u{301}"]]), ("/?\u{301}=a", [["\u{301}", "a"]]),
    ]

    @Test("RFC 3986 3.4: items are told apart and decoded, a plus stays a plus", arguments: targets)
    func items(target: String, items: [[String]]) throws {
        #expect(try pairs(target) == items)
    }

    static let malformedTargets = [
        ("/?%", 0), ("/?a=%4", 0), ("/?a=1&b=%zz", 1), ("/?a&b&%f=1", 2), ("/?a=%ff", 0),
        ("/?%c3=a", 0),
    ]

    @Test(
        "RFC 3986 2.1: malformed escapes are refused, with the item's position",
        arguments: malformedTargets)
    func malformed(target: String, position: Int) {
        let error = #expect(throws: QueryItems.MalformedError.self) {
            try QueryItems(target: target)
        }
        #expect(error?.position == position)
        #expect(error?.description.hasPrefix("query item \(position): each % must begin") == true)
    }

    @Test("an item is made of a name and a value")
    func item() throws {
        let item = QueryItems.Item(name: "a", value: "1")
        #expect(try QueryItems(target: "/?a=1").items == [item])
    }
}
