import Testing

@testable import HeartwireProtocol

@Suite struct URLReferenceTests {
    private func target(_ reference: String, from base: String = "ws://a/b/c/d;p?q") throws
        -> String?
    {
        try WebSocketURL(base).resolving(reference)?.whole
    }

    /// RFC 3986 §5.4, without fragments and schemes that are none of ours.
    private static let references = [
        ("g", "ws://a/b/c/g"), ("./g", "ws://a/b/c/g"), ("g/", "ws://a/b/c/g/"),
        ("/g", "ws://a/g"), ("//g", "ws://g/"), ("?y", "ws://a/b/c/d;p?y"),
        ("g?y", "ws://a/b/c/g?y"), (";x", "ws://a/b/c/;x"), ("g;x?y", "ws://a/b/c/g;x?y"),
        ("", "ws://a/b/c/d;p?q"), (".", "ws://a/b/c/"), ("./", "ws://a/b/c/"), ("..", "ws://a/b/"),
        ("../", "ws://a/b/"), ("../g", "ws://a/b/g"), ("../..", "ws://a/"), ("../../", "ws://a/"),
        ("../../g", "ws://a/g"), ("../../../g", "ws://a/g"), ("../../../../g", "ws://a/g"),
        ("/./g", "ws://a/g"), ("/../g", "ws://a/g"), ("g.", "ws://a/b/c/g."),
        (".g", "ws://a/b/c/.g"), ("g..", "ws://a/b/c/g.."), ("..g", "ws://a/b/c/..g"),
        ("./../g", "ws://a/b/g"), ("./g/.", "ws://a/b/c/g/"), ("g/./h", "ws://a/b/c/g/h"),
        ("g/../h", "ws://a/b/c/h"), ("g;x=1/./y", "ws://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "ws://a/b/c/y"), ("g?y/./x", "ws://a/b/c/g?y/./x"),
        ("g?y/../x", "ws://a/b/c/g?y/../x"), ("g#s/../x", "ws://a/b/c/g"),
        ("#s", "ws://a/b/c/d;p?q"),
    ]

    @Test("RFC 3986 5.4: the examples of the RFC", arguments: references)
    func examples(_ reference: String, _ expected: String) throws {
        #expect(try target(reference) == expected)
    }

    @Test("RFC 6455 3: http and https mean ws and wss, in any case")
    func schemes() throws {
        #expect(try target("HTTPS://g:444/x") == "wss://g:444/x")
        #expect(try target("http://g/x") == "ws://g/x")
        #expect(try target("Wss://g") == "wss://g/")
        #expect(try target("//g/x", from: "wss://a/") == "wss://g/x")
        #expect(try target("mailto:x") == nil)
        #expect(try target("g:h") == nil)
        #expect(try target(":g") == "ws://a/b/c/:g")
    }

    @Test("P6: the port and an IPv6 host stay with a relative reference")
    func authority() throws {
        #expect(try target("/x", from: "ws://[::1]:8080/") == "ws://[::1]:8080/x")
        #expect(try target("/x", from: "wss://a.:444/") == "wss://a:444/x")
        #expect(try WebSocketURL("ws://a./").resolving("/x")?.resolverName == "a.")
    }

    @Test("P6: user information stays within the origin and is never taken from a reference")
    func userInfo() throws {
        let base = try WebSocketURL("ws://user:pw@a/")
        #expect(base.resolving("/x")?.user == "user")
        #expect(base.resolving("ws://a:80/x")?.password == "pw")
        #expect(base.resolving("ws://b/x")?.user == nil)
        #expect(base.resolving("wss://a/x")?.user == nil)
        #expect(base.resolving("ws://evil:pw@b/x")?.user == nil)
        #expect(base.resolving("ws://evil:no@a/x")?.user == "user")
    }

    @Test("P5: a reference that cannot stand in a request leads nowhere")
    func unlawful() throws {
        for reference in ["/a b", "/ä", "/\u{0}", "//", "ws://h h/", "http:", "wss:/x"] {
            #expect(try target(reference) == nil, "\(reference.debugDescription)")
        }
    }
}

extension WebSocketURL {
    /// The URL with its query.
    fileprivate var whole: String { "\(scheme)://\(hostHeader)\(requestTarget)" }
}
