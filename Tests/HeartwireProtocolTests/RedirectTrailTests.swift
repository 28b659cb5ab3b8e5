import Testing

@testable import HeartwireProtocol

@Suite struct RedirectTrailTests {
    private func request(
        _ url: String, headers: HeaderFields = [:], subprotocols: [String] = []
    ) throws -> OpeningRequest {
        try OpeningRequest(
            url: try WebSocketURL(url), headers: headers, subprotocols: subprotocols)
    }

    private func redirect(_ location: String, status: Int = 302) -> Refusal {
        Refusal(status: status, headers: ["Location": location])
    }

    /// Follows one redirect, and gives the lines of the request that goes out next.
    private func lines(
        from request: OpeningRequest, to location: String
    ) throws -> [String] {
        var trail = RedirectTrail(limit: 5)
        let next = try trail.follow(redirect(location), from: request)
        let text = String(decoding: next.bytes(key: "k"), as: UTF8.self)
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test("RFC 9110 15.4: five statuses are redirects")
    func statuses() {
        let redirects = (100...599).filter(RedirectTrail.isRedirect)
        #expect(redirects == [301, 302, 303, 307, 308])
    }

    @Test("P6: within the origin a redirect takes everything along")
    func sameOrigin() throws {
        let headers: HeaderFields = ["Cookie": "a=b", "X": "y", "Host": "virtual.test"]
        let request = try request(
            "ws://user:pw@h.test/a/b", headers: headers, subprotocols: ["chat"])
        let lines = try lines(from: request, to: "../c?d")
        #expect(lines.first == "GET /c?d HTTP/1.1")
        #expect(lines.contains("Host: virtual.test"))
        #expect(lines.contains("Cookie: a=b"))
        #expect(lines.contains("Sec-WebSocket-Protocol: chat"))
        #expect(lines.contains { $0.hasPrefix("Authorization: Basic ") })
    }

    @Test(
        "P6: credentials, cookies and Host are dropped across origins",
        arguments: [
            "ws://other.test/", "wss://h.test/", "ws://h.test:81/", "//other.test/",
            "https://h.test/", "ws://evil:pw@other.test/",
        ])
    func otherOrigin(_ location: String) throws {
        let headers: HeaderFields = [
            "Cookie": "a=b", "Authorization": "Bearer t", "Host": "virtual.test", "X": "y",
        ]
        for url in ["ws://h.test/", "ws://user:pw@h.test/"] {
            let lines = try lines(from: try request(url, headers: headers), to: location)
            let names = lines.map { String($0.prefix { $0 != ":" }).lowercased() }
            #expect(!names.contains("authorization"))
            #expect(!names.contains("cookie"))
            #expect(!lines.contains("Host: virtual.test"))
            #expect(lines.contains("X: y"))
        }
    }

    @Test("P6: never from wss to ws")
    func downgrade() throws {
        var trail = RedirectTrail(limit: 5)
        for location in ["ws://h/", "http://h/", "ws://other/"] {
            #expect(throws: RedirectFault.downgrade) {
                try trail.follow(redirect(location), from: try request("wss://h/"))
            }
        }
    }

    @Test("P6: a redirect to where the attempt has been is a loop, to itself too")
    func loops() throws {
        var trail = RedirectTrail(limit: 5)
        let first = try request("ws://h/a")
        #expect(throws: RedirectFault.loop) { try trail.follow(redirect("/a"), from: first) }
        let second = try trail.follow(redirect("/b"), from: first)
        #expect(throws: RedirectFault.loop) { try trail.follow(redirect("/a#x"), from: second) }
    }

    @Test("P6: five redirects are followed and the sixth is not")
    func limit() throws {
        var trail = RedirectTrail(limit: 5)
        var request = try request("ws://h/0")
        for hop in 1...5 { request = try trail.follow(redirect("/\(hop)"), from: request) }
        #expect(request.url.requestTarget == "/5")
        #expect(throws: RedirectFault.tooMany) {
            try trail.follow(redirect("/6"), from: request)
        }
        var none = RedirectTrail(limit: 0)
        #expect(throws: RedirectFault.tooMany) { try none.follow(redirect("/6"), from: request) }
    }

    @Test("P6: without one Location that can be connected to nothing is followed")
    func locations() throws {
        var trail = RedirectTrail(limit: 5)
        let request = try request("ws://h/")
        #expect(throws: RedirectFault.noLocation) {
            try trail.follow(Refusal(status: 301), from: request)
        }
        let two: HeaderFields = ["Location": "/a", "location": "/b"]
        #expect(throws: RedirectFault.noLocation) {
            try trail.follow(Refusal(status: 301, headers: two), from: request)
        }
        for location in ["ftp://h/", "ws://", "ws://h:0/", "/ä", "mailto:a@b"] {
            #expect(throws: RedirectFault.badLocation) {
                try trail.follow(redirect(location), from: request)
            }
        }
    }
}
