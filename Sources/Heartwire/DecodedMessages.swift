public import HeartwireProtocol

/// The values that an app's decoder makes of the messages (promise S1); see ``Messages/decoded(as:undecodable:with:)``.
///
/// Each iterator is a consumer of its own.
public struct DecodedMessages<Value: Sendable>: AsyncSequence, Sendable {
    /// What is decoded.
    public typealias Element = Value
    /// A message could not be decoded.
    public typealias Failure = UndecodableMessage

    /// What becomes of a message that cannot be decoded. None is lost without a trace.
    public enum Policy: Sendable, Hashable, CaseIterable {
        /// The sequence throws ``UndecodableMessage`` in the message's place. An iterator that is asked again goes on
        /// behind it.
        case fail
        /// It is passed over, and counted by ``DecodedMessages/skipped``.
        case skip
    }

    let base: Messages
    let policy: Policy
    let decode: @Sendable (Message) throws -> Value
    let skips = Tally()

    /// How many messages this sequence's consumers have passed over, together, because they could not be
    /// decoded. Any thread may ask.
    public var skipped: Int { skips.value }

    /// How many messages this sequence's consumers have missed, together, because they were too slow
    /// (``Messages/dropped``).
    public var dropped: Int { base.dropped }

    /// A new consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), policy: policy, decode: decode, skips: skips)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Messages.Iterator
        let policy: Policy
        let decode: @Sendable (Message) throws -> Value
        let skips: Tally

        /// The next value, or `nil` when the session has stopped or the task was cancelled.
        ///
        /// - Throws: ``UndecodableMessage``, where that is the policy.
        public nonisolated(nonsending) mutating func next() async throws(UndecodableMessage)
            -> Value?
        {
            try await next(isolation: #isolation)
        }

        /// The next value, without leaving the caller's isolation.
        ///
        /// - Throws: ``UndecodableMessage``, where that is the policy.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(UndecodableMessage) -> Value? {
            while let message = await base.next(isolation: actor) {
                do {
                    return try decode(message)
                } catch {
                    switch policy {
                    case .fail:
                        throw UndecodableMessage(
                            expected: "\(Value.self)", message: message, underlying: error)
                    case .skip: skips.add(1)
                    }
                }
            }
            return nil
        }
    }
}

extension Messages {
    /// The values that `decode` makes of the messages, texts and binary ones alike. It runs where the consumer runs.
    public func decoded<Value: Sendable>(
        undecodable policy: DecodedMessages<Value>.Policy = .fail,
        by decode: @escaping @Sendable (Message) throws -> Value
    ) -> DecodedMessages<Value> {
        DecodedMessages(base: self, policy: policy, decode: decode)
    }

    /// The values that a decoder makes of the messages' payloads: UTF-8 for texts, the bytes for binary messages.
    ///
    /// The decoder is a function of the shape that Foundation's decoders have, so that those fit, and any
    /// other fits as well:
    ///
    /// ```swift
    /// for try await quote in client.messages.decoded(as: Quote.self, with: JSONDecoder().decode) { … }
    /// ```
    public func decoded<Value: Sendable, Payload>(
        as type: Value.Type, undecodable policy: DecodedMessages<Value>.Policy = .fail,
        with decode: @escaping @Sendable (Value.Type, Payload) throws -> Value
    ) -> DecodedMessages<Value>
    where Payload: RangeReplaceableCollection & SendableMetatype, Payload.Element == UInt8 {
        decoded(undecodable: policy) { message in
            switch message {
            case .text(let text): try decode(Value.self, Payload(text.utf8))
            case .binary(let bytes): try decode(Value.self, Payload(bytes))
            }
        }
    }
}

/// A message of which the app's decoder made nothing.
public struct UndecodableMessage: Error, Sendable {
    /// The type that was expected.
    public let expected: String
    /// The message, so that it is not lost.
    public let message: Message
    /// What the decoder threw.
    public let underlying: any Error
}

extension UndecodableMessage: CustomStringConvertible, CustomReflectable {
    /// One line for people, without contents.
    public var description: String {
        let kind =
            switch message {
            case .text: "text"
            case .binary: "binary message"
            }
        return "a \(kind) of \(message.byteCount) bytes is no \(expected): \(type(of: underlying))"
    }

    /// The same line: contents are not to be found in a dump.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
