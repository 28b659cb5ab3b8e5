import Foundation
import HeartwireProtocol
import HeartwireSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSessionWebSocketTask` in a session of its own (promise T3).
///
/// The session holds its delegate until it is invalidated, which ``release()`` and ``drop()`` do.
final class FoundationTask: NativeTask {
    private let inbox: NativeInbox
    private let session: URLSession
    private let task: URLSessionWebSocketTask

    /// Makes a task that has not begun.
    init(
        _ request: ConnectionRequest, _ urlRequest: URLRequest, options: URLSessionOptions,
        executor: DispatchExecutor, inbox: NativeInbox
    ) {
        self.inbox = inbox
        let delegate = FoundationDelegate(request, executor: executor, inbox: inbox)
        let callbacks = OperationQueue()
        callbacks.maxConcurrentOperationCount = 1
        callbacks.underlyingQueue = executor.queue
        session = URLSession(
            configuration: .heartwire(options, request: request), delegate: delegate,
            delegateQueue: callbacks)
        task = session.webSocketTask(with: urlRequest)
        task.maximumMessageSize = request.effectiveLimits.messageBytes
    }

    func begin() {
        task.resume()
    }

    func send(_ message: Message, slot: SendLedger.Slot) {
        let native: URLSessionWebSocketTask.Message =
            switch message {
            case .text(let text): .string(text)
            case .binary(let bytes): .data(Data(bytes))
            }
        task.send(native) { [inbox] error in
            inbox.tell(.sent(slot, error.map { NativeFault($0) }))
        }
    }

    func receive(_ number: Int) {
        task.receive { [inbox] result in
            inbox.tell(.received(number, result.map { Message($0) }.mapError { NativeFault($0) }))
        }
    }

    func ping(_ id: PingID) {
        task.sendPing { [inbox] error in
            inbox.tell(.ponged(id, error.map { NativeFault($0) }))
        }
    }

    func close(_ code: CloseCode?, reason: String) {
        // Foundation's word for no code is not to stand on the wire (RFC 6455 §7.4.1), and not every platform has
        // a word for every code.
        let native = code.flatMap {
            URLSessionWebSocketTask.CloseCode(rawValue: Int($0.rawValue))
        }
        task.cancel(
            with: native ?? .normalClosure, reason: reason.isEmpty ? nil : Data(reason.utf8))
    }

    func release() {
        session.finishTasksAndInvalidate()
    }

    func drop() {
        task.cancel()
        session.invalidateAndCancel()
    }
}

extension Message {
    /// A message of Foundation's. A kind that is not known yet counts as an empty binary message.
    init(_ message: URLSessionWebSocketTask.Message) {
        switch message {
        case .string(let text): self = .text(text)
        case .data(let data): self = .binary([UInt8](data))
        @unknown default: self = .binary([])
        }
    }
}

extension PeerClose {
    /// A Close frame as Foundation tells of it; `nil` for the code that stands for none.
    init?(_ code: URLSessionWebSocketTask.CloseCode, reason: Data?) {
        let number = UInt16(clamping: code.rawValue)
        guard number != 0 else { return nil }
        let code = CloseCode(rawValue: number)
        // In place of a code, Foundation says that there was none.
        self.init(
            code: code == .noStatusReceived ? nil : code,
            reason: reason.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
}
