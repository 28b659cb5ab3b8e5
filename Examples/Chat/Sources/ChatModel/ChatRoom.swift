/// The room as one person sees it: a value that hears packets and says what is new and what to answer.
///
/// The server keeps nothing. Who says a line is answerable for it until others have it: it is said again to whoever
/// comes, or comes back, without having heard it. Who hears a line twice shows it once.
public struct ChatRoom: Sendable {
    /// The lines that are kept, of all.
    public static let lineLimit = 1_000
    /// The own lines that are said again to whoever comes, the newest ones.
    public static let repeatLimit = 100
    /// The people who are known at a time.
    public static let peopleLimit = 100

    /// What came of a packet.
    public struct Outcome: Sendable, Hashable {
        /// What to show, if anything.
        public var news: ChatNews?
        /// What to send, in this order.
        public var answers: [ChatPacket] = []
    }

    /// The one who sees it.
    public let me: ChatPerson
    /// The lines in the order in which they came, the own ones in the order in which they were said.
    public private(set) var lines: [ChatLine] = []
    /// How far the own lines have come, by their number.
    public private(set) var marks: [UInt64: ChatMark] = [:]
    /// Who else is there, as far as they have said so.
    public private(set) var people: [ChatPerson] = []
    /// Whether this person has gone, and so tells nobody any more of being there.
    private var hasLeft = false
    /// Who has which of the own lines, by its number.
    private var listeners: [UInt64: Set<UInt64>] = [:]

    /// An empty room.
    public init(me: ChatPerson) {
        self.me = me
    }

    /// What to say on a new connection: who is here, or once more that this person has gone.
    public var greeting: ChatPacket { hasLeft ? .left(me) : .present(me, asks: true) }

    /// This person goes. A greeting that comes later is not answered, or others would take it for a return.
    ///
    /// - Returns: what to send.
    public mutating func go() -> ChatPacket {
        hasLeft = true
        return .left(me)
    }

    /// An own line was taken in for delivery.
    public mutating func say(_ line: ChatLine) {
        marks[line.id.number] = .waiting
        listeners[line.id.number] = []
        keep(line)
    }

    /// An own line has come this far.
    ///
    /// - Returns: what is new, if it is.
    public mutating func mark(_ number: UInt64, _ mark: ChatMark) -> ChatNews? {
        guard marks[number] != nil, marks[number] != mark,
            let line = lines.last(where: { $0.id == ChatLine.ID(author: me, number: number) })
        else { return nil }
        marks[number] = mark
        return .marked(line, mark)
    }

    /// A packet came, an own one too: the room is told everything.
    public mutating func hear(_ packet: ChatPacket) -> Outcome {
        switch packet {
        case .present(let person, let asks): hear(person, asks: asks)
        case .said(let line): hear(line)
        case .heard(let line, let person): note(line, person)
        case .left(let person): leave(person)
        }
    }

    private mutating func hear(_ person: ChatPerson, asks: Bool) -> Outcome {
        guard person != me else { return Outcome() }
        var outcome = Outcome()
        if !people.contains(person), people.count < Self.peopleLimit {
            people.append(person)
            outcome.news = .joined(person)
        }
        if asks, !hasLeft { outcome.answers.append(.present(me, asks: false)) }
        for line in lines.filter({ $0.id.author == me }).suffix(Self.repeatLimit)
        where listeners[line.id.number]?.contains(person.id) == false {
            outcome.answers.append(.said(line))
        }
        return outcome
    }

    private mutating func hear(_ line: ChatLine) -> Outcome {
        guard line.id.author != me else { return Outcome() }
        // Again, too: the last answer may have been lost.
        var outcome = Outcome(answers: [.heard(line.id, by: me)])
        guard !lines.contains(where: { $0.id == line.id }) else { return outcome }
        keep(line)
        outcome.news = .said(line)
        return outcome
    }

    private mutating func note(_ line: ChatLine.ID, _ person: ChatPerson) -> Outcome {
        guard line.author == me, person != me, let known = listeners[line.number],
            known.count < Self.peopleLimit
        else { return Outcome() }
        listeners[line.number]?.insert(person.id)
        return Outcome()
    }

    private mutating func leave(_ person: ChatPerson) -> Outcome {
        guard let place = people.firstIndex(of: person) else { return Outcome() }
        people.remove(at: place)
        return Outcome(news: .left(person))
    }

    private mutating func keep(_ line: ChatLine) {
        lines.append(line)
        guard lines.count > Self.lineLimit else { return }
        let oldest = lines.removeFirst().id
        guard oldest.author == me else { return }
        marks[oldest.number] = nil
        listeners[oldest.number] = nil
    }
}
