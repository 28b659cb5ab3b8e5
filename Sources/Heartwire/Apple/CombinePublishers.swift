#if canImport(Combine)
    public import Combine
    public import HeartwireProtocol
    public import HeartwireSession

    // Publishers for code that has not moved to sequences (promise S4). Not run on an Apple platform yet: type-checked
    // against a stand-in for Combine (`scripts/check-apple`).
    extension WebSocketClient {
        /// The messages, for each subscriber from its subscription on; see ``Messages`` for buffers and back-pressure. A
        /// subscriber that asks for few gets few, and the server slows down. Completes when the session stops.
        public nonisolated var messagePublisher: AnyPublisher<Message, Never> {
            SequencePublisher(elements: messages).eraseToAnyPublisher()
        }

        /// The texts among the messages.
        public nonisolated var textPublisher: AnyPublisher<String, Never> {
            messagePublisher.compactMap { message in
                if case .text(let text) = message { text } else { nil }
            }.eraseToAnyPublisher()
        }

        /// The states, the present one first.
        public nonisolated var statePublisher: AnyPublisher<SessionState, Never> {
            SequencePublisher(elements: states).eraseToAnyPublisher()
        }
    }

    /// Publishes a sequence; each subscription iterates it anew.
    private struct SequencePublisher<Elements: AsyncSequence & Sendable>: Publisher
    where Elements.Element: Sendable, Elements.Failure == Never {
        typealias Output = Elements.Element
        typealias Failure = Never

        let elements: Elements

        func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            let subscription = SequenceSubscription<Elements>()
            subscriber.receive(subscription: subscription)
            subscription.start(elements, Receiver(subscriber))
        }
    }

    /// A subscriber on its way to the one task that calls it from then on.
    private struct Receiver<Element: Sendable>: @unchecked Sendable {
        let receive: (Element) -> Subscribers.Demand
        let complete: () -> Void

        init<S: Subscriber>(_ subscriber: S) where S.Input == Element, S.Failure == Never {
            receive = { subscriber.receive($0) }
            complete = { subscriber.receive(completion: .finished) }
        }
    }

    /// One subscriber's place in a sequence.
    private final class SequenceSubscription<Elements: AsyncSequence & Sendable>: Combine
            .Subscription,
        Sendable
    where Elements.Element: Sendable, Elements.Failure == Never {
        private let feed = DemandFeed()
        private let work = TaskHandle<Void>()

        func start(_ elements: Elements, _ receiver: Receiver<Elements.Element>) {
            let feed = feed
            let task = Task {
                var iterator = elements.makeAsyncIterator()
                while await feed.next() {
                    guard let element = await iterator.next(isolation: nil) else {
                        return receiver.complete()
                    }
                    feed.ask(for: receiver.receive(element).max)
                }
            }
            work.adopt(task)
        }

        func request(_ demand: Subscribers.Demand) {
            feed.ask(for: demand.max)
        }

        func cancel() {
            feed.cancel()
            work.cancel()
        }
    }
#endif
