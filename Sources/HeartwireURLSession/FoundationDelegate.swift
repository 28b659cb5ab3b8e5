import Foundation
import HeartwireProtocol
import HeartwireSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What hears of one session's task. It holds the way into the domain and nothing else of the connection, so the
/// session's hold on it keeps nothing alive.
///
/// `@unchecked Sendable`: what changes is touched on the delegate queue only, which is the executor's.
final class FoundationDelegate: NSObject, URLSessionWebSocketDelegate, @unchecked Sendable {
    let request: ConnectionRequest
    private let inbox: NativeInbox
    private let executor: DispatchExecutor
    private var opening: OpeningRequest
    private var trail: RedirectTrail?
    private var redirectFault: RedirectFault?
    /// Why the server's certificates were turned down, which Foundation calls a cancellation.
    var trustFailure: TLSFailure?

    init(_ request: ConnectionRequest, executor: DispatchExecutor, inbox: NativeInbox) {
        self.request = request
        self.executor = executor
        self.inbox = inbox
        opening = request.opening
        trail = request.redirects?.trail
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        // On Linux a refusal opens, too; the completion tells of it.
        if let answer = webSocketTask.response as? HTTPURLResponse, answer.statusCode != 101 {
            return
        }
        let subprotocol = `protocol`.flatMap { $0.isEmpty ? nil : $0 }
        tell(.opened(subprotocol: subprotocol))
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        // A close without even the code for "none" is no Close frame; the completion tells of it.
        guard let close = PeerClose(closeCode, reason: reason) else { return }
        tell(.peerClosed(close))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let fault =
            trustFailure.map { .failure(ConnectionFailure($0)) } ?? error.map { NativeFault($0) }
        var answer = (task.response as? HTTPURLResponse).map { Refusal($0) }
        answer?.redirectFault = redirectFault
        if answer?.needsReceiptTime == true {
            answer?.receivedSeconds = Int(Date().timeIntervalSince1970)
        }
        let webSocketTask = task as? URLSessionWebSocketTask
        let peerClose = webSocketTask.flatMap {
            PeerClose($0.closeCode, reason: $0.closeReason)
        }
        tell(.completed(fault, answer: answer, peerClose: peerClose))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(next(after: response))
    }

    /// Where a redirect leads, unless it is not to be followed.
    func next(after response: HTTPURLResponse) -> URLRequest? {
        guard var trail else { return nil }
        do throws(RedirectFault) {
            opening = try trail.follow(Refusal(response), from: opening)
            self.trail = trail
            return URLRequest(opening)
        } catch {
            redirectFault = error
            return nil
        }
    }

    private func tell(_ event: NativeEvent) {
        guard executor.isCurrent else { return inbox.tell(event) }
        executor.turn { inbox.tell(event) }
    }
}
