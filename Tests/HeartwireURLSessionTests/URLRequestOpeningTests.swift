import Foundation
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests for Foundation")
struct URLRequestOpeningTests {
    private func urlRequest(
        _ url: String, headers: HeaderFields = [:], subprotocols: [String] = []
    ) throws -> URLRequest {
        let opening = try OpeningRequest(
            url: WebSocketURL(url), headers: headers, subprotocols: subprotocols)
        return try #require(URLRequest(opening))
    }

    @Test("T3: the URL keeps its target to the byte, its host in every form, and its port")
    func urls() throws {
        #expect(
            try urlRequest("WS://Host.test/a%2Fb?c=%20&d#".replacingOccurrences(of: "#", with: ""))
                .url?.absoluteString == "ws://host.test:80/a%2Fb?c=%20&d")
        #expect(try urlRequest("wss://h.test").url?.absoluteString == "wss://h.test:443/")
        let address = try urlRequest("ws://[::1]:9001/")
        #expect(address.url?.absoluteString == "ws://[::1]:9001/")
        #expect(address.value(forHTTPHeaderField: "Host") == "[::1]:9001")
        #expect(try urlRequest("ws://h.test/").value(forHTTPHeaderField: "Host") == "h.test")
    }

    @Test("T3: headers, subprotocols and the URL's user go along")
    func headers() throws {
        let request = try urlRequest(
            "ws://u:w@h.test/", headers: ["X-A": "1", "Host": "other.test", "X-A": "2"],
            subprotocols: ["a", "b"])
        #expect(request.url?.absoluteString == "ws://h.test:80/")
        #expect(request.value(forHTTPHeaderField: "X-A") == "1,2")
        #expect(request.value(forHTTPHeaderField: "Host") == "other.test")
        #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "a, b")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic dTp3")
        let own = try urlRequest("ws://u:w@h.test/", headers: ["Authorization": "Bearer t"])
        #expect(own.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        #expect(own.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == nil)
    }

    @Test("T3: a session shares nothing with others, and has the times that were asked for")
    func configuration() throws {
        var options = URLSessionOptions()
        let request = try ConnectionRequest(url: WebSocketURL("ws://h.test/"))
        let standard = URLSessionConfiguration.heartwire(options, request: request)
        #expect(!options.waitsForConnectivity)
        #expect(standard.timeoutIntervalForResource == 300)
        #expect(standard.timeoutIntervalForRequest == 300)
        #expect(standard.httpCookieStorage == nil && standard.urlCache == nil)
        options.resourceTimeout = .milliseconds(1_500)
        options.requestTimeout = .seconds(7)
        let other = URLSessionConfiguration.heartwire(options, request: request)
        #expect(other.timeoutIntervalForResource == 1.5)
        #expect(other.timeoutIntervalForRequest == 7)
    }

    @Test("T3: an answer of a server keeps its status and headers")
    func refusals() throws {
        let url = try #require(URL(string: "http://h.test/"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 429, httpVersion: "HTTP/1.1",
                headerFields: ["Retry-After": "9"]))
        #expect(Refusal(response) == Refusal(status: 429, headers: ["Retry-After": "9"]))
    }

    @Test("T3, P6: a redirect is followed by the same rules as everywhere, or not at all")
    func redirects() throws {
        let url = try #require(URL(string: "http://h.test/"))
        func response(_ location: String) throws -> HTTPURLResponse {
            try #require(
                HTTPURLResponse(
                    url: url, statusCode: 302, httpVersion: "HTTP/1.1",
                    headerFields: ["Location": location]))
        }
        var request = try ConnectionRequest(
            url: WebSocketURL("wss://h.test/"), headers: ["Cookie": "c"])
        let executor = DispatchExecutor(label: "test")
        func delegate() -> FoundationDelegate {
            FoundationDelegate(
                request, executor: executor, inbox: NativeInbox(executor: executor))
        }
        #expect(delegate().next(after: try response("wss://h.test/b")) == nil)
        request.redirects = .follow
        let followed = try #require(delegate().next(after: response("wss://h.test/b")))
        #expect(followed.url?.absoluteString == "wss://h.test:443/b")
        #expect(followed.value(forHTTPHeaderField: "Cookie") == "c")
        let elsewhere = try #require(delegate().next(after: response("wss://other.test/")))
        #expect(elsewhere.value(forHTTPHeaderField: "Cookie") == nil)
        let circling = delegate()
        _ = circling.next(after: try response("wss://h.test/b"))
        #expect(circling.next(after: try response("wss://h.test/")) == nil)
        #expect(delegate().next(after: try response("ws://h.test/")) == nil)
    }
}
