import HeartwireSession

/// The answers to a caller who delivers many messages at once: it goes on when each has one. Confined to the client's
/// domain.
///
/// `@unchecked Sendable`: who gives up waiting enters the domain first.
final class DeliveryGroup: @unchecked Sendable {
    private var answers: [Delivery.Answer?]
    private var missing: Int
    private var caller: UnsafeContinuation<Void, Never>?

    /// Waits for `count` answers.
    init(count: Int) {
        answers = Array(repeating: nil, count: count)
        missing = count
    }

    /// What became of the message at `place`. The first answer holds.
    func answer(_ place: Int, _ answer: Delivery.Answer) {
        guard case nil = answers[place] else { return }
        answers[place] = answer
        missing -= 1
        guard missing == 0 else { return }
        caller?.resume()
        caller = nil
    }

    /// All answers, in the messages' order, once there are. For one caller.
    func answers(isolation: isolated (any Actor)?) async -> [Delivery.Answer] {
        if missing > 0 {
            await withUnsafeContinuation(isolation: isolation) { caller = $0 }
        }
        return answers.compactMap { $0 }
    }
}
