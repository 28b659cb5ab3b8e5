public import HeartwireProtocol

/// What is of one kind in a sequence of messages: see `texts` and `binaries` of ``Messages`` (promise S1).
///
/// Each iterator is a consumer of its own. What is of the other kind is passed over in order.
public struct SelectedMessages<Base: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence,
    Sendable
where Base.Element == Message {
    /// What is selected.
    public typealias Element = Value
    /// How the sequence below can fail.
    public typealias Failure = Base.Failure

    let base: Base
    let select: @Sendable (Message) -> Value?

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), select: select)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let select: @Sendable (Message) -> Value?

        /// The next value, or `nil` where the sequence below ends.
        ///
        /// - Throws: What the sequence below throws.
        public nonisolated(nonsending) mutating func next() async throws(Base.Failure) -> Value? {
            try await next(isolation: #isolation)
        }

        /// The next value, without leaving the caller's isolation.
        ///
        /// - Throws: What the sequence below throws.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Base.Failure) -> Value? {
            while let message = try await base.next(isolation: actor) {
                if let value = select(message) { return value }
            }
            return nil
        }
    }
}

extension AsyncSequence where Self: Sendable, Element == Message {
    /// The texts among the messages.
    ///
    /// ```swift
    /// for await text in client.messages.texts { … }
    /// ```
    public var texts: SelectedMessages<Self, String> {
        SelectedMessages(base: self) { message in
            switch message {
            case .text(let text): text
            case .binary: nil
            }
        }
    }

    /// The binary messages.
    public var binaries: SelectedMessages<Self, [UInt8]> {
        SelectedMessages(base: self) { message in
            switch message {
            case .text: nil
            case .binary(let bytes): bytes
            }
        }
    }
}
