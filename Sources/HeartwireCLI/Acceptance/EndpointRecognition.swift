import Heartwire
import HeartwireProtocol
import HeartwireSession
import HeartwireTesting

/// Finds out whether a server elsewhere is a `heartwire endpoint` that acts on its URL's query.
enum EndpointRecognition {
    /// A key that no endpoint knows, so that it answers HTTP 400 and says which it does.
    static let strangeKey = "heartwire-accept"
    /// What is said of it there.
    private static let answer = "\(strangeKey): unknown key; known are pong,"

    /// Asks the server at `url`.
    ///
    /// - Parameters:
    ///   - tls: How a `wss:` server is checked, and what it is shown.
    ///   - patience: How long it may take to answer.
    static func isEndpoint(
        at url: WebSocketURL, tls: TLSConfiguration = TLSConfiguration(), patience: Duration
    ) async -> Bool {
        let cause = try? await ClientWorld(.remote(url)).run { world in
            let watched = try world.makeClient(strangeKey) { configuration in
                configuration.reconnect = nil
                configuration.connectTimeout = patience
                configuration.tls = tls
            }
            await watched.client.connect()
            _ = await watched.log.wait(patience + .seconds(1)) { log in
                !log.closes.isEmpty || !log.events(.opened).isEmpty
            }
            let state = await watched.client.state
            _ = await world.windUp()
            return state.cause
        }
        guard case .refused(let refusal)? = cause, refusal.status == 400 else { return false }
        return String(decoding: refusal.body, as: UTF8.self).hasPrefix(answer)
    }
}

extension SessionState {
    /// Why the last connection ended, where the state tells.
    var cause: CloseCause? {
        switch self {
        case .idle, .connecting, .open, .closing: nil
        case .waiting(_, _, let cause): cause
        case .suspended(let cause): cause
        case .stopped(.disconnected(let cause)): cause
        case .stopped(.refusedToRetry(let cause)), .stopped(.attemptsExhausted(let cause)): cause
        }
    }
}
