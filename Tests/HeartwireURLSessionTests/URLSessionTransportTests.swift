import HeartwireProtocol
import HeartwireSession
import HeartwireTesting
import Testing

@testable import HeartwireURLSession

private let bye = PeerClose(code: 4_001, reason: "bye")

@Suite("The URLSession transport over a scripted task")
struct URLSessionTransportTests {
    // MARK: Opening

    @Test("T3: a task is made and begun once; its opening is reported once, with the subprotocol")
    func opening() throws {
        let rig = TaskRig()
        rig.perform {
            $0.open()
            $0.open()
        }
        #expect(try rig.task.calls == [.begin])
        try rig.tell(.opened(subprotocol: "p"), .opened(subprotocol: "q"))
        #expect(rig.observer.reports == [.opened("p")])
        #expect(try rig.task.calls == [.begin, .receive(1)])
    }

    @Test("T3: of an attempt it is told that its upgrade is not answered, before anything else")
    func progress() throws {
        let rig = TaskRig()
        rig.perform {
            $0.open()
            #expect(rig.observer.progress.isEmpty)
        }
        #expect(rig.observer.progress == [.upgrade])
        try rig.tell(.begun, .opened(subprotocol: nil), .begun)
        #expect(rig.observer.progress == [.upgrade, .upgrade])
        let dropped = TaskRig()
        dropped.perform {
            $0.open()
            $0.abort()
        }
        #expect(dropped.observer.progress.isEmpty)
    }

    @Test("T3: what cannot be asked of Foundation ends the attempt in a later turn, typed")
    func refused() throws {
        let failure = ConnectionFailure(ProxyFailure.unavailable)
        let rig = TaskRig(refusing: failure)
        rig.perform { $0.open() }
        #expect(rig.observer.reports == [.closed(.connectFailed(failure))])
        let dropped = TaskRig(refusing: failure)
        dropped.perform {
            $0.open()
            $0.abort()
        }
        #expect(dropped.observer.reports.isEmpty)
    }

    @Test("T3: an attempt ends for what the server or the network said")
    func failedAttempts() throws {
        let refusal = Refusal(status: 503, headers: ["Retry-After": "7"])
        let ends: [(NativeFault?, Refusal?, CloseCause)] = [
            (TaskRig.lost, refusal, .refused(refusal)),
            (TaskRig.lost, nil, .connectFailed(ConnectionFailure(.reset))),
            (nil, nil, .connectFailed(ConnectionFailure(.endOfStream))),
        ]
        for (fault, answer, cause) in ends {
            let rig = TaskRig()
            rig.perform { $0.open() }
            try rig.tell(.completed(fault, answer: answer, peerClose: nil))
            #expect(rig.observer.events == [.closed(cause)])
            try rig.checkOver()
        }
    }

    @Test("D1: before the opening nothing can be sent, and pings and closes are nothing")
    func tooEarly() throws {
        let rig = TaskRig()
        for opens in [false, true] {
            if opens { rig.perform { $0.open() } }
            rig.perform {
                $0.ping(PingID(1))
                $0.close(1_000, reason: "")
                $0.setReading(false)
            }
            #expect(throws: SendError.notOpen) {
                try rig.executor.perform { _ = try rig.transport.send(.text("early")) }
            }
        }
        #expect(try rig.task.calls == [.begin])
    }

    // MARK: Messages

    @Test("T4: each message is reported and the next one asked for, whoever takes it")
    func messages() throws {
        let rig = try TaskRig.open()
        for number in 1...3 { try rig.deliver(.success(.text("\(number)"))) }
        #expect(rig.observer.reports == (1...3).flatMap { [.message(.text("\($0)")), .batch] })
        #expect(
            try rig.task.calls == [.begin, .receive(1), .receive(2), .receive(3), .receive(4)])
    }

    @Test("T1: a receive that is answered twice gives one message")
    func answeredTwice() throws {
        let rig = try TaskRig.open()
        for elsewhere in [false, true] {
            rig.observer.reports = []
            let number = try rig.task.calls.count - 1
            try rig.tell(
                .received(number, .success(.text("a"))), .received(number, .success(.text("a"))),
                .received(number, .failure(TaskRig.lost)),
                .received(number + 7, .success(.text("x"))),
                elsewhere: elsewhere)
            #expect(rig.observer.events == [.message(.text("a"))])
        }
    }

    @Test("T5: answers from within the call that asked, and from other threads, come in turn")
    func withinCalls() throws {
        let rig = try TaskRig.open()
        var left = 3
        try rig.task.answer = { call in
            switch call {
            case .receive(let number) where left > 0:
                left -= 1
                return .received(number, .success(.text("\(number)")))
            case .ping(let id): return .ponged(id, nil)
            case .begin, .receive, .send, .close, .release, .drop: return nil
            }
        }
        rig.perform { $0.ping(PingID(1)) }
        #expect(rig.observer.events == [.pong(PingID(1))])
        try rig.tell(.received(1, .success(.text("1"))), elsewhere: true)
        #expect(
            rig.observer.events == [.pong(PingID(1))] + (1...4).map { .message(.text("\($0)")) })
    }

    @Test("T4: while reading is off one message is kept back, and the task is not asked for more")
    func reading() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.setReading(false) }
        try rig.deliver(.success(.text("a")))
        #expect(rig.observer.reports.isEmpty)
        #expect(try rig.task.calls == [.begin, .receive(1)])
        rig.perform { $0.setReading(true) }
        #expect(rig.observer.reports == [.message(.text("a")), .batch])
        #expect(try rig.task.calls == [.begin, .receive(1), .receive(2)])
        // On and off again before it came: nothing is asked for twice, and nothing is lost.
        rig.perform {
            $0.setReading(false)
            $0.setReading(true)
            $0.setReading(false)
        }
        #expect(try rig.task.calls.count == 3)
        try rig.deliver(.success(.text("b")))
        rig.perform {
            $0.setReading(true)
            $0.setReading(false)
        }
        #expect(rig.observer.events == [.message(.text("a"))])
        rig.perform { $0.setReading(true) }
        #expect(rig.observer.events == [.message(.text("a")), .message(.text("b"))])
    }

    @Test("D1, T4: past the high-water mark send says so, and room is reported once")
    func backPressure() throws {
        var limits = Limits()
        (limits.outgoingHighWater, limits.outgoingLowWater) = (100, 40)
        let rig = try TaskRig.open(limits: limits)
        var answers: [Bool] = []
        try rig.perform { transport throws(SendError) in
            for _ in 0..<4 {
                answers.append(try transport.send(.binary([UInt8](repeating: 1, count: 40))))
            }
        }
        #expect(answers == [true, true, false, false])
        let slots = try rig.task.slots
        for slot in slots.prefix(2) { try rig.tell(.sent(slot, nil), .sent(slot, nil)) }
        #expect(rig.observer.events.isEmpty)
        try rig.tell(.sent(slots[2], nil))
        #expect(rig.observer.events == [.writable])
        try rig.tell(.sent(slots[3], nil))
        #expect(rig.observer.events == [.writable])
    }

    // MARK: Pings

    @Test(
        "T1, T3, H9: a pong is reported once, though its handler is called twice, with an error then"
    )
    func pongTwice() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.ping(PingID(1)) }
        try rig.tell(.ponged(PingID(1), nil), .ponged(PingID(1), nil))
        try rig.tell(.ponged(PingID(1), TaskRig.lost), elsewhere: true)
        #expect(rig.observer.events == [.pong(PingID(1))])
        rig.executor.advance(by: .seconds(60))
        #expect(rig.observer.events == [.pong(PingID(1))])
    }

    @Test(
        "T3: a handler that is called late, or never, or for nothing is no pong for the newest ping"
    )
    func pongLate() throws {
        let rig = try TaskRig.open()
        for id in 1...3 { rig.perform { $0.ping(PingID(UInt64(id))) } }
        try rig.tell(.ponged(PingID(2), nil), .ponged(PingID(77), nil))
        #expect(rig.observer.events.isEmpty)
        try rig.tell(.ponged(PingID(3), nil))
        #expect(rig.observer.events == [.pong(PingID(3))])
    }

    @Test("T3: a handler that is called with an error ends the connection, once, with that cause")
    func pongError() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.ping(PingID(1)) }
        try rig.tell(.ponged(PingID(1), TaskRig.lost))
        #expect(rig.observer.events.isEmpty, "the task may have more to say of it")
        rig.executor.advance(by: URLSessionTransport.lastWordTimeout)
        #expect(rig.observer.events == [.closed(.connectionLost(ConnectionFailure(.reset)))])
        try rig.checkOver()
    }

    // MARK: The end

    /// The ways in which a task tells its end, each with what makes it.
    private static let tellings: [String: @Sendable (TaskRig) throws -> Void] = [
        "receive fails": { try $0.deliver(.failure(TaskRig.lost)) },
        "close frame": { try $0.tell(.peerClosed(bye)) },
        "completion": { try $0.tell(.completed(TaskRig.lost, answer: nil, peerClose: bye)) },
        "ping fails": { try $0.tell(.ponged(PingID(1), TaskRig.lost)) },
        "send fails": { rig in try rig.tell(.sent(try #require(rig.task.slots.first), TaskRig.lost))
        },
    ]

    @Test("T3, G4: in whatever order the callbacks come, alone or together, there is one end")
    func everyOrder() throws {
        let names = Self.tellings.keys.sorted()
        for first in names {
            for second in names {
                for third in names {
                    let rig = try TaskRig.open()
                    try rig.perform { transport throws(SendError) in
                        transport.ping(PingID(1))
                        _ = try transport.send(.text("sent"))
                    }
                    for name in [first, second, third] { try Self.tellings[name]?(rig) }
                    rig.executor.advance(by: URLSessionTransport.lastWordTimeout)
                    let closed = rig.observer.closed
                    #expect(closed.count == 1, "\(first), \(second), \(third)")
                    let told = Set([first, second, third])
                    let expected: CloseCause =
                        told.isDisjoint(with: ["close frame", "completion"])
                        ? .connectionLost(ConnectionFailure(.reset)) : .closedByPeer(bye)
                    #expect(closed == [expected], "\(first), \(second), \(third)")
                    try rig.checkOver()
                }
            }
        }
    }

    @Test(
        "T3: after a lost connection only the completion comes; the pending receive hangs nothing")
    func onlyCompletion() throws {
        let rig = try TaskRig.open()
        try rig.tell(.completed(TaskRig.lost, answer: nil, peerClose: nil))
        #expect(rig.observer.events == [.closed(.connectionLost(ConnectionFailure(.reset)))])
        try rig.checkOver()
    }

    @Test("T3: a completion without an error and without a Close frame is the end of the stream")
    func plainCompletion() throws {
        let rig = try TaskRig.open()
        try rig.tell(.completed(nil, answer: nil, peerClose: nil))
        #expect(rig.observer.events == [.closed(.connectionLost(ConnectionFailure(.endOfStream)))])
    }

    @Test("T1: messages that the task still holds at a Close frame are reported ahead of the end")
    func messagesAheadOfClose() throws {
        let rig = try TaskRig.open()
        try rig.tell(.peerClosed(bye))
        #expect(rig.observer.events.isEmpty)
        for text in ["a", "b"] { try rig.deliver(.success(.text(text))) }
        try rig.deliver(.failure(TaskRig.lost))
        #expect(
            rig.observer.events == [
                .message(.text("a")), .message(.text("b")), .closed(.closedByPeer(bye)),
            ])
        try rig.checkOver()
    }

    @Test("T4: a Close frame while reading is off waits for reading, and keeps what came before it")
    func closeWhilePaused() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.setReading(false) }
        try rig.deliver(.success(.text("a")))
        try rig.tell(.peerClosed(bye))
        rig.executor.advance(by: .seconds(60))
        #expect(rig.observer.events.isEmpty)
        rig.perform { $0.setReading(true) }
        rig.executor.advance(by: URLSessionTransport.lastWordTimeout)
        #expect(rig.observer.events == [.message(.text("a")), .closed(.closedByPeer(bye))])
        try rig.checkOver()
    }

    @Test("T1: what was kept back comes ahead of an end that does not wait")
    func completionWhilePaused() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.setReading(false) }
        try rig.deliver(.success(.text("a")))
        try rig.tell(.completed(TaskRig.lost, answer: nil, peerClose: nil))
        #expect(
            rig.observer.events == [
                .message(.text("a")), .closed(.connectionLost(ConnectionFailure(.reset))),
            ])
        try rig.checkOver()
    }

    @Test("T3: a close goes out behind what was sent, and its own code is not taken for the peer's")
    func closing() throws {
        let rig = try TaskRig.open()
        try rig.perform { transport throws(SendError) in
            _ = try transport.send(.text("a"))
            transport.close(bye.code, reason: bye.reason)
            transport.close(1_000, reason: "again")
        }
        #expect(try !rig.task.calls.contains(.close(bye)))
        #expect(throws: SendError.closing) {
            try rig.executor.perform { _ = try rig.transport.send(.text("late")) }
        }
        try rig.tell(.sent(try rig.task.slots[0], nil))
        #expect(try rig.task.calls.last == .close(bye))
        try rig.tell(.completed(nil, answer: nil, peerClose: bye))
        #expect(rig.observer.events == [.closed(.connectionLost(ConnectionFailure(.endOfStream)))])
        try rig.checkOver()
    }

    @Test("T3: the peer's answer to a close is the end")
    func closeAnswered() throws {
        let rig = try TaskRig.open()
        rig.perform { $0.close(1_000, reason: "done") }
        #expect(try rig.task.calls.last == .close(PeerClose(code: 1_000, reason: "done")))
        try rig.deliver(.failure(TaskRig.lost))
        try rig.tell(.peerClosed(PeerClose(code: 1_000)))
        #expect(rig.observer.events == [.closed(.closedByPeer(PeerClose(code: 1_000)))])
        try rig.checkOver()
    }

    @Test("T3: after the end the task is let go of at once and dropped a second later")
    func release() throws {
        let rig = try TaskRig.open()
        try rig.tell(.completed(nil, answer: nil, peerClose: bye))
        #expect(try rig.task.calls.last == .release)
        rig.executor.advance(by: URLSessionTransport.lingerTimeout - .nanoseconds(1))
        #expect(try rig.task.calls.last == .release)
        rig.executor.advance(by: .nanoseconds(1))
        #expect(try rig.task.calls.last == .drop)
    }

    // MARK: Dropping

    @Test("T1: dropped at any point, from within any report, it reports nothing more")
    func abort() throws {
        let points: [@Sendable (TaskRig) throws -> Void] = [
            { _ in }, { try $0.deliver(.success(.text("a"))) }, { try $0.tell(.peerClosed(bye)) },
            { try $0.deliver(.failure(TaskRig.lost)) }, { $0.perform { $0.ping(PingID(1)) } },
            { $0.perform { $0.close(1_000, reason: "") } },
            { $0.perform { $0.setReading(false) } },
        ]
        for point in points {
            let rig = try TaskRig.open()
            try point(rig)
            rig.perform {
                $0.abort()
                $0.abort()
            }
            #expect(rig.observer.closed.isEmpty)
            #expect(try rig.task.calls.last == .drop)
            try rig.checkOver()
        }
        let early = TaskRig()
        early.perform {
            $0.abort()
            $0.open()
        }
        #expect(!early.hasTask)
        for fatal in [TaskReport.message(.text("a")), .pong(PingID(1)), .batch] {
            let rig = try TaskRig.open()
            rig.observer.onReport = { if $0 == fatal { rig.transport.abort() } }
            rig.perform { $0.ping(PingID(1)) }
            try rig.tell(.ponged(PingID(1), nil), .received(1, .success(.text("a"))))
            try rig.checkOver()
        }
    }

    @Test("T3: nothing holds a transport that is over, though the task keeps every closure")
    func lettingGo() throws {
        for drops in [false, true] {
            var task: ScriptedTask?
            weak var transport: URLSessionTransport?
            weak var observer: TaskObserver?
            do {
                let rig = try TaskRig.open()
                (transport, observer, task) = (rig.transport, rig.observer, try rig.task)
                if drops {
                    rig.perform { $0.abort() }
                } else {
                    try rig.tell(.completed(nil, answer: nil, peerClose: nil))
                }
                rig.executor.advance(by: .seconds(1))
            }
            #expect(transport == nil)
            #expect(observer == nil)
            #expect(task != nil)
        }
    }
}
