import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireURLSession

private let reset = NativeFault.failure(ConnectionFailure(.reset))
private let refused = NativeFault.failure(ConnectionFailure(.refused))
private let tooBig = ProtocolViolation(
    closeCode: .messageTooBig, clause: "7.4.1", expected: "less", seen: "more")
private let bye = PeerClose(code: 1_001, reason: "bye")

/// A life in each of its states.
private enum Stage: CaseIterable {
    case fresh, connecting, open, closing, ending, ended

    var life: TaskLife {
        var life = TaskLife()
        switch self {
        case .fresh: return life
        case .connecting: _ = life.begun()
        case .open:
            _ = life.begun()
            _ = life.opened()
        case .closing:
            life = Stage.open.life
            _ = life.closeAsked()
        case .ending:
            life = Stage.open.life
            _ = life.failed(reset, isReading: false)
        case .ended: life.dropped()
        }
        return life
    }
}

@Suite("The life of a task")
struct TaskLifeTests {
    @Test("T3: each state says what can be done in it")
    func states() {
        let sending: [SendError?] = [.notOpen, .notOpen, nil, .closing, .closed, .closed]
        for (stage, obstacle) in zip(Stage.allCases, sending) {
            let life = stage.life
            #expect(life.obstacleToSending == obstacle, "\(stage)")
            #expect(life.isOpen == (stage == .open || stage == .closing), "\(stage)")
            #expect(life.isConnecting == (stage == .connecting), "\(stage)")
            #expect(life.isClosing == (stage == .closing), "\(stage)")
            #expect(life.hasEnded == (stage == .ended), "\(stage)")
            #expect(life.admitsMessages == [.open, .closing, .ending].contains(stage), "\(stage)")
        }
    }

    @Test("T1: a life begins once, opens once and closes once, each in its own state only")
    func once() {
        for stage in Stage.allCases {
            var life = stage.life
            let begins = [life.begun(), life.begun()]
            #expect(begins == [stage == .fresh, false])
            life = stage.life
            let opens = [life.opened(), life.opened()]
            #expect(opens == [stage == .connecting, false])
            life = stage.life
            let closes = [life.closeAsked(), life.closeAsked()]
            #expect(closes == [stage == .open, false])
        }
    }

    @Test("T3: outside of an open connection a failure or a Close frame says nothing")
    func outside() {
        for stage in [Stage.fresh, .connecting, .ended] {
            var life = stage.life
            #expect(life.failed(reset, isReading: true) == .nothing)
            #expect(life.peerClosed(bye) == .nothing)
            #expect(life.timeIsUp() == .nothing)
        }
        for stage in [Stage.fresh, .ended] {
            var life = stage.life
            #expect(life.completed(reset, answer: nil, peerClose: bye) == .nothing)
        }
        for stage in [Stage.open, .closing] {
            var life = stage.life
            #expect(life.timeIsUp() == .nothing)
        }
    }

    @Test("T3: before the opening a completion tells why there is no connection")
    func openingFailure() {
        let no = Refusal(status: 403)
        let ends: [(NativeFault?, Refusal?, CloseCause.Kind)] = [
            (reset, no, .refused), (nil, no, .refused), (reset, nil, .connectFailed),
            (nil, nil, .connectFailed), (.violation(tooBig), nil, .badHandshake),
            (reset, Refusal(status: 101), .badHandshake),
        ]
        for (fault, answer, kind) in ends {
            var life = Stage.connecting.life
            guard case .ended(let cause) = life.completed(fault, answer: answer, peerClose: bye)
            else {
                Issue.record("no end")
                continue
            }
            #expect(cause.kind == kind)
            #expect(life.hasEnded)
        }
    }

    @Test("G4: the first fault is the cause, unless there is a Close frame")
    func causes() {
        var life = Stage.open.life
        #expect(life.failed(.violation(tooBig), isReading: true) == .awaitLastWord)
        #expect(life.failed(reset, isReading: false) == .nothing)
        #expect(
            life.completed(refused, answer: nil, peerClose: nil)
                == .ended(.protocolViolation(tooBig)))
        life = Stage.ending.life
        #expect(life.timeIsUp() == .ended(.connectionLost(ConnectionFailure(.reset))))
        #expect(life.timeIsUp() == .nothing)
        life = Stage.open.life
        #expect(life.peerClosed(bye) == .awaitLastWord)
        #expect(life.peerClosed(PeerClose(code: 1_000)) == .nothing)
        #expect(life.failed(reset, isReading: true) == .ended(.closedByPeer(bye)))
        life = Stage.open.life
        #expect(life.failed(reset, isReading: true) == .awaitLastWord)
        #expect(life.peerClosed(bye) == .ended(.closedByPeer(bye)))
        life = Stage.open.life
        #expect(life.failed(reset, isReading: false) == .awaitLastWord)
        #expect(life.peerClosed(bye) == .nothing, "there may be messages ahead of it")
        #expect(life.timeIsUp() == .ended(.closedByPeer(bye)))
        life = Stage.open.life
        #expect(life.peerClosed(bye) == .awaitLastWord)
        #expect(life.completed(nil, answer: nil, peerClose: nil) == .ended(.closedByPeer(bye)))
        life = Stage.open.life
        #expect(
            life.completed(nil, answer: nil, peerClose: nil)
                == .ended(.connectionLost(ConnectionFailure(.endOfStream))))
    }

    @Test("T3: the code that a task knows is the peer's, unless this side has begun to close")
    func ownCode() {
        for stage in [Stage.open, .ending] {
            var life = stage.life
            #expect(
                life.completed(nil, answer: nil, peerClose: bye) == .ended(.closedByPeer(bye)))
        }
        var life = Stage.closing.life
        #expect(
            life.completed(reset, answer: nil, peerClose: bye)
                == .ended(.connectionLost(ConnectionFailure(.reset))))
        life = Stage.closing.life
        #expect(life.failed(reset, isReading: true) == .awaitLastWord)
        #expect(
            life.completed(nil, answer: nil, peerClose: bye)
                == .ended(.connectionLost(ConnectionFailure(.reset))))
        life = Stage.closing.life
        #expect(life.peerClosed(bye) == .awaitLastWord)
        #expect(
            life.completed(reset, answer: nil, peerClose: PeerClose(code: 1_000))
                == .ended(.closedByPeer(bye)))
    }
}
