import Testing

@testable import ChatModel

@Suite("The room as one person sees it")
struct ChatRoomTests {
    private let alice = ChatPerson(id: 1, name: "alice")
    private let bob = ChatPerson(id: 2, name: "bob")

    private func line(_ author: ChatPerson, _ number: UInt64, _ text: String = "hello") -> ChatLine
    {
        ChatLine(author: author, number: number, text: text)
    }

    @Test("a line of somebody else is shown once and answered each time")
    func heard() {
        var room = ChatRoom(me: alice)
        let line = line(bob, 7)
        let answer = ChatPacket.heard(line.id, by: alice)
        #expect(room.hear(.said(line)) == .init(news: .said(line), answers: [answer]))
        #expect(room.hear(.said(line)) == .init(answers: [answer]))
        #expect(room.lines == [line])
    }

    @Test("who has gone does not answer a late greeting as if still there, but still hears lines")
    func gone() {
        var room = ChatRoom(me: alice)
        #expect(room.greeting == .present(alice, asks: true))
        room.say(line(alice, 1))
        #expect(room.go() == .left(alice))
        #expect(
            room.hear(.present(bob, asks: true))
                == .init(news: .joined(bob), answers: [.said(line(alice, 1))]))
        let said = line(bob, 7)
        #expect(
            room.hear(.said(said))
                == .init(news: .said(said), answers: [.heard(said.id, by: alice)]))
        #expect(room.greeting == .left(alice))
    }

    @Test("what the room sends back to its sender changes nothing")
    func ownEcho() {
        var room = ChatRoom(me: alice)
        let mine = line(alice, 1)
        room.say(mine)
        for packet in [
            ChatPacket.said(mine), .present(alice, asks: true), .left(alice),
            .heard(mine.id, by: alice),
        ] {
            #expect(room.hear(packet) == .init())
        }
        #expect(room.lines == [mine])
        #expect(room.people.isEmpty)
    }

    @Test("who comes is told what was said, until they have heard it; who asks, that one is there")
    func repeated() {
        var room = ChatRoom(me: alice)
        let lines = [line(alice, 1, "one"), line(alice, 2, "two")]
        for line in lines { room.say(line) }
        #expect(
            room.hear(.present(bob, asks: true))
                == .init(
                    news: .joined(bob),
                    answers: [.present(alice, asks: false), .said(lines[0]), .said(lines[1])]))
        #expect(room.hear(.heard(lines[0].id, by: bob)) == .init())
        #expect(room.hear(.present(bob, asks: false)) == .init(answers: [.said(lines[1])]))
        #expect(room.hear(.heard(lines[1].id, by: bob)) == .init())
        #expect(room.hear(.present(bob, asks: false)) == .init())
        #expect(room.people == [bob])
        #expect(room.hear(.left(bob)) == .init(news: .left(bob)))
        #expect(room.hear(.left(bob)) == .init())
        #expect(room.people.isEmpty)
    }

    @Test("only the newest own lines are said again, and lines of others never")
    func repeatLimit() {
        var room = ChatRoom(me: alice)
        _ = room.hear(.said(line(bob, 1)))
        for number in 1...UInt64(ChatRoom.repeatLimit + 1) { room.say(line(alice, number)) }
        let answers = room.hear(.present(bob, asks: false)).answers
        #expect(answers.count == ChatRoom.repeatLimit)
        #expect(answers.first == .said(line(alice, 2)))
        #expect(answers.last == .said(line(alice, UInt64(ChatRoom.repeatLimit + 1))))
    }

    @Test("a mark is news once, and only for a line that is there")
    func marks() {
        var room = ChatRoom(me: alice)
        let mine = line(alice, 1)
        #expect(room.mark(1, .sent) == nil)
        room.say(mine)
        #expect(room.marks[1] == .waiting)
        #expect(room.mark(1, .waiting) == nil)
        #expect(room.mark(1, .sent) == .marked(mine, .sent))
        #expect(room.mark(1, .sent) == nil)
        #expect(room.mark(1, .heard) == .marked(mine, .heard))
        #expect(room.marks == [1: .heard])
    }

    @Test("whatever others send, what is kept is bounded")
    func bounded() {
        var room = ChatRoom(me: alice)
        room.say(line(alice, 1))
        for number in 1...UInt64(ChatRoom.lineLimit + 5) {
            let person = ChatPerson(id: number + 10, name: "x")
            _ = room.hear(.present(person, asks: false))
            _ = room.hear(.heard(ChatLine.ID(author: alice, number: 1), by: person))
            _ = room.hear(.heard(ChatLine.ID(author: alice, number: number + 1), by: person))
            _ = room.hear(.said(line(bob, number)))
        }
        #expect(room.lines.count == ChatRoom.lineLimit)
        #expect(room.lines.last == line(bob, UInt64(ChatRoom.lineLimit + 5)))
        #expect(room.people.count == ChatRoom.peopleLimit)
        #expect(room.marks.isEmpty)
        #expect(room.mark(1, .heard) == nil)
    }

    @Test(
        "however connections come and go, everybody has every line in the end, once",
        arguments: 1...20)
    func nothingIsLost(_ seed: UInt64) {
        var street = Street(people: 3, seed: seed)
        for _ in 0..<400 { street.step() }
        street.settle()
        #expect(street.said.count > 50)
        for room in street.rooms {
            #expect(room.lines.count == street.said.count)
            #expect(Set(room.lines.map(\.id)) == Set(street.said))
        }
    }
}

/// Rooms that lose their connections, with what the sessions around them do: they greet on each connection, and say
/// again what nobody has confirmed.
private struct Street {
    var rooms: [ChatRoom]
    private(set) var said: [ChatLine.ID] = []
    private var isOnline: [Bool]
    private var unconfirmed: [[ChatLine]]
    /// Packets on their way, to whom.
    private var underWay: [(to: Int, ChatPacket)] = []
    private var dice: Dice

    init(people: Int, seed: UInt64) {
        rooms = (0..<people).map { ChatRoom(me: ChatPerson(id: UInt64($0), name: "p\($0)")) }
        isOnline = Array(repeating: false, count: people)
        unconfirmed = Array(repeating: [], count: people)
        dice = Dice(state: seed)
    }

    mutating func step() {
        let index = Int.random(in: rooms.indices, using: &dice)
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: disconnect(index)
        case 1, 2: connect(index)
        case 3, 4: say(index)
        default: deliverNext()
        }
    }

    /// Everybody comes back, and everything arrives.
    mutating func settle() {
        for index in rooms.indices {
            disconnect(index)
            connect(index)
        }
        while !underWay.isEmpty { deliverNext() }
    }

    private mutating func say(_ index: Int) {
        let number = UInt64(said.count { $0.author == rooms[index].me } + 1)
        let line = ChatLine(author: rooms[index].me, number: number, text: "line \(number)")
        rooms[index].say(line)
        said.append(line.id)
        unconfirmed[index].append(line)
        send(.said(line), from: index)
    }

    private mutating func connect(_ index: Int) {
        guard !isOnline[index] else { return }
        isOnline[index] = true
        send(.present(rooms[index].me, asks: true), from: index)
        for line in unconfirmed[index] { send(.said(line), from: index) }
    }

    private mutating func disconnect(_ index: Int) {
        isOnline[index] = false
        underWay.removeAll { $0.to == index }
    }

    private mutating func send(_ packet: ChatPacket, from index: Int) {
        guard isOnline[index] else { return }
        for other in rooms.indices where isOnline[other] { underWay.append((other, packet)) }
    }

    private mutating func deliverNext() {
        guard !underWay.isEmpty else { return }
        let (index, packet) = underWay.removeFirst()
        if case .heard(let line, let person) = packet, person != rooms[index].me {
            unconfirmed[index].removeAll { $0.id == line }
        }
        for answer in rooms[index].hear(packet).answers { send(answer, from: index) }
    }
}

private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
