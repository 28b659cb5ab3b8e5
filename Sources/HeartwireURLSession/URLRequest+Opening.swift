import Foundation
import HeartwireProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// What Foundation is asked for; the rest of the opening handshake is its own.
    ///
    /// - Returns: `nil` for a URL that Foundation cannot read, though it is lawful.
    init?(_ opening: OpeningRequest) {
        let url = opening.url
        let host = url.isIPv6 ? "[\(url.host)]" : url.resolverName
        guard let address = URL(string: "\(url.scheme)://\(host):\(url.port)\(url.requestTarget)")
        else { return nil }
        self.init(url: address)
        // The port stands in the URL even where it is the scheme's own; the server is not to see that.
        setValue(opening.headers["Host"] ?? url.hostHeader, forHTTPHeaderField: "Host")
        for (name, value) in opening.headers where !name.isHostField {
            addValue(value, forHTTPHeaderField: name)
        }
        if let authorization = url.basicAuthorization, opening.headers["Authorization"] == nil {
            setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        guard !opening.subprotocols.isEmpty else { return }
        setValue(
            opening.subprotocols.joined(separator: ", "),
            forHTTPHeaderField: "Sec-WebSocket-Protocol")
    }
}

extension String {
    fileprivate var isHostField: Bool { lowercased() == "host" }
}

extension Refusal {
    /// The answer of a server as Foundation has it. Foundation keeps no body for a WebSocket task.
    init(_ response: HTTPURLResponse) {
        var headers: HeaderFields = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            headers.append(name, value)
        }
        self.init(status: response.statusCode, headers: headers)
    }
}
