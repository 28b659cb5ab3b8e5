/// A sequence whose consumers are told when they are too slow: it throws ``BufferOverflow`` where an element did
/// not fit, behind all that did, and has ended then (promise S2).
///
/// Each iterator is a consumer of its own, as in the sequence that it is made from.
public struct Failing<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Failure == Never {
    /// What the sequence gives.
    public typealias Element = Base.Element
    /// The consumer was too slow.
    public typealias Failure = BufferOverflow

    private let makeBase: @Sendable (OverflowFlag) -> Base.AsyncIterator

    init(_ makeBase: @escaping @Sendable (OverflowFlag) -> Base.AsyncIterator) {
        self.makeBase = makeBase
    }

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        let flag = OverflowFlag()
        return Iterator(base: makeBase(flag), flag: flag)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let flag: OverflowFlag

        /// The next element, or `nil` at the end or when the task was cancelled.
        ///
        /// - Throws: ``BufferOverflow``, once, when the consumer was too slow.
        public nonisolated(nonsending) mutating func next() async throws(BufferOverflow)
            -> Base.Element?
        {
            try await next(isolation: #isolation)
        }

        /// The next element, without leaving the caller's isolation.
        ///
        /// - Throws: ``BufferOverflow``, once, when the consumer was too slow.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BufferOverflow) -> Base.Element? {
            if let next = await base.next(isolation: actor) { return next }
            if let overflow = flag.take() { throw overflow }
            return nil
        }
    }
}
