/// Waits for a value that any thread hands over.
///
/// It has the shape of `withCheckedContinuation`, which is for what stays in one domain. The value goes through a
/// ``Locked``, because ThreadSanitizer sees no order between the thread that resumes a continuation and a task
/// that had not begun to wait, and would report what was handed over as a race (docs/decisions/0008).
///
/// - Parameters:
///   - isolation: Where the caller is; `body` runs there.
///   - body: Begins the work. It or what it began resumes the handover, once.
/// - Returns: what was handed over.
package func withHandover<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Handover<Value>) -> Void
) async -> Value {
    let place = HandoverPlace<Value>()
    await withCheckedContinuation(isolation: isolation) { body(Handover(place, $0)) }
    guard let value = place.value.withLock({ $0 }) else {
        fatalError("a handover went on with nothing handed over")
    }
    return value
}

/// Where a value is handed over, once. Handing over a second time is a mistake that traps.
package struct Handover<Value: Sendable>: Sendable {
    private let place: HandoverPlace<Value>
    private let continuation: CheckedContinuation<Void, Never>

    fileprivate init(
        _ place: HandoverPlace<Value>, _ continuation: CheckedContinuation<Void, Never>
    ) {
        self.place = place
        self.continuation = continuation
    }

    /// Hands `value` over and lets the waiting task go on.
    package func resume(returning value: Value) {
        place.value.withLock { $0 = value }
        continuation.resume()
    }
}

extension Handover where Value == Void {
    /// Lets the waiting task go on.
    package func resume() { resume(returning: ()) }
}

/// What the waiting task and the other thread share.
private final class HandoverPlace<Value: Sendable>: Sendable {
    let value = Locked<Value?>(nil)
}
