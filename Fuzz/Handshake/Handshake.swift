// Checks the readers of the opening handshake's two heads, and what writes them:
//
// - No bytes trap; an outcome comes at the latest at the end of the stream, and one only.
// - However the bytes are cut, the outcome is the same but for what is shown of a greeting, and the same bytes are
//   taken for the head.
// - No accepted field holds CR, LF or NUL; names are tokens; a refusal's body keeps to the limit; a subprotocol
//   was offered.
// - A request that is accepted gets an answer that our client takes for an opening.
// - A URL that is accepted makes a request that our server accepts, with the same target, and its
//   description tells no user and no query.

import FuzzSupport
import HeartwireProtocol

/// What libFuzzer calls for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let kind = input.below(3)
    let seed = input.byte()
    let bytes = input.rest()
    switch kind {
    case 0: checkRequest(bytes, seed)
    case 1: checkResponse(bytes, seed)
    default: checkURL(bytes)
    }
    return 0
}

private let key = "dGhlIHNhbXBsZSBub25jZQ=="
private let offered = ["a", "b"]

private func checkRequest(_ bytes: [UInt8], _ seed: UInt8) {
    func run(_ pieces: [[UInt8]]) -> (consumed: Int, outcome: RequestReader.Outcome) {
        var reader = RequestReader(limits: .small)
        var consumed = 0
        for piece in pieces {
            let (count, outcome) = reader.receive(piece.span)
            require(count <= piece.count, "no more is taken than was given")
            consumed += count
            if let outcome {
                require(reader.receive(piece.span).outcome == nil, "the outcome comes once")
                return (consumed, outcome)
            }
        }
        return (consumed, reader.receiveEOF())
    }
    let whole = run([bytes])
    let cut = run(pieces(of: bytes, seed: seed))
    require(whole == cut, "the cut decides nothing: \(whole) against \(cut)")
    switch whole.outcome {
    case .received(let head):
        check(head.headers)
        let answer = OpeningResponse.accept(key: head.key, subprotocol: nil, headers: [:])
        var client = ResponseReader(key: head.key)
        let (count, outcome) = client.receive(answer.span)
        require(count == answer.count, "the answer ends with its head")
        guard case .opened? = outcome else {
            return require(false, "our client takes our answer: \(String(describing: outcome))")
        }
    case .invalid(let status, _):
        require((400..<600).contains(status), "a request is refused with an error status")
    }
}

private func checkResponse(_ bytes: [UInt8], _ seed: UInt8) {
    func run(_ pieces: [[UInt8]]) -> (consumed: Int, outcome: ResponseReader.Outcome) {
        var reader = ResponseReader(key: key, offeredSubprotocols: offered, limits: .small)
        var consumed = 0
        for piece in pieces {
            let (count, outcome) = reader.receive(piece.span)
            require(count <= piece.count, "no more is taken than was given")
            consumed += count
            if let outcome {
                require(reader.receive(piece.span).outcome == nil, "the outcome comes once")
                return (consumed, outcome)
            }
        }
        return (consumed, reader.receiveEOF())
    }
    let whole = run([bytes])
    let cut = run(pieces(of: bytes, seed: seed))
    require(
        whole.outcome == cut.outcome || isGreeting(whole.outcome) && isGreeting(cut.outcome),
        "the cut decides nothing: \(whole) against \(cut)")
    switch whole.outcome {
    case .opened(let result):
        // Behind it are frames. A refusal's body, on the other hand, is read as far as it interests.
        require(whole.consumed == cut.consumed, "the head ends at the same byte")
        check(result.headers)
        require(result.subprotocol.map(offered.contains) ?? true, "the subprotocol was offered")
    case .refused(let refusal):
        check(refusal.headers)
        require(refusal.body.count <= Limits.small.refusalBodyBytes, "the body is bounded")
        require((refusal.retryAfterSeconds ?? 0) >= 0, "no time runs backwards")
        require(isPrintable(refusal.description), "a description holds no control characters")
    case .failed(let violation):
        require(isPrintable(violation.description), "a description holds no control characters")
    }
}

/// Whether something else than HTTP spoke, of which is told what one read brought.
private func isGreeting(_ outcome: ResponseReader.Outcome) -> Bool {
    guard case .failed(let violation) = outcome else { return false }
    return violation.expected == "an HTTP/1.1 status line (RFC 9112 4)"
}

private func checkURL(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let url: WebSocketURL
    do throws(WebSocketURLError) {
        url = try WebSocketURL(text)
    } catch {
        return
    }
    require(isPrintable(url.description), "a description holds no control characters")
    // Compared as a whole: a path may hold the same words as the query.
    let shown = url.description.split(separator: "?", omittingEmptySubsequences: false).dropFirst()
    require(
        shown.elementsEqual(url.requestTarget.contains("?") ? ["…"] : []),
        "a description holds no query")
    guard let request = try? OpeningRequest(url: url) else {
        return require(false, "a URL that is accepted can be asked for")
    }
    let head = request.bytes(key: key)
    var reader = RequestReader(limits: Limits())
    let (count, outcome) = reader.receive(head.span)
    guard case .received(let received)? = outcome else {
        // Only a URL that is longer than a head may be is refused.
        return require(
            head.count > Limits().headBytes,
            "our server takes our request: \(String(describing: outcome))")
    }
    require(count == head.count, "the request ends with its head")
    require(received.target == url.requestTarget, "the target is kept as given")
    require(received.host == url.hostHeader, "the host is kept")
}

private func check(_ fields: HeaderFields) {
    for (name, value) in fields {
        require(
            !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "names are tokens")
        require(
            value.utf8.allSatisfy { $0 != 0 && $0 != 0x0D && $0 != 0x0A }, "values are one line")
    }
}

private func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
}
