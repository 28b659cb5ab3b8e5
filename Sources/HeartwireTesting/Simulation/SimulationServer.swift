import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// The server of a simulated world: the real ``Endpoint``, which behaves as the dice say, restarts, reads what is
/// delivered, and sees how many pings a client has out.
final class SimulationServer {
    /// The field of the request by which the server knows who asks: the client and its connection.
    static let whoField = "Simulation-Who"

    let endpoint: Endpoint
    /// Messages that the server has sent of its own accord.
    private(set) var pushed = 0
    private let world: Surroundings
    private let audit: SimulationDeliveryAudit
    private let acknowledges: Bool
    /// How many pings of each connection the server has read and not answered.
    private var unanswered: [Int: Int] = [:]
    /// How many pings of a connection took the place of one that was out.
    private let replacedPings: (SimulationDeliveryAudit.Arrival) -> Int

    /// What the server stands in.
    struct Surroundings {
        let executor: VirtualExecutor
        let network: VirtualNetwork
        let dice: SimulationDice
        let alarms: SimulationAlarms
        let auditor: SimulationAuditor
    }

    init(
        _ world: Surroundings, audit: SimulationDeliveryAudit, acknowledges: Bool,
        replacedPings: @escaping (SimulationDeliveryAudit.Arrival) -> Int
    ) {
        self.world = world
        self.audit = audit
        self.acknowledges = acknowledges
        self.replacedPings = replacedPings
        let (auditor, book) = (world.auditor, Book())
        var limits = Limits()
        limits.outgoingHighWater = 64 << 10
        limits.outgoingLowWater = 16 << 10
        endpoint = Endpoint(
            executor: world.executor, random: SimulationRandomSource(world.dice, .endpoint),
            behaviour: .always(EndpointBehaviour()), limits: limits
        ) { event in
            auditor.note(event.jsonLine)
            book.server?.heard(event)
        }
        let shared = Confined(dice: world.dice)
        endpoint.script = .custom { _, _ in Self.behaviour(shared.dice) }
        endpoint.messageHandler = { [unowned self] in read($1, from: $0) }
        book.server = self
        listen()
    }

    // MARK: Faults

    /// Dies with all connections, and is back later.
    func restart() {
        world.network.stopListening(port: SimulationNetwork.port)
        endpoint.dropAll()
        let length = world.dice.duration(of: .serverRestart, .milliseconds(10) ... .seconds(90))
        world.alarms.after(length) { [unowned self] in listen() }
    }

    /// Sends the newest connection so many messages, perhaps more than its client wants to hold.
    func push(_ count: Int) {
        guard let connection = endpoint.connections.last(where: { $0.state == .open }) else {
            return
        }
        for _ in 0..<count {
            pushed += 1
            let fill = world.dice.number(.server, 0...1_000)
            try? connection.send(SimulationPayload.pushed(serial: pushed).message(fill: fill))
        }
    }

    func listen() {
        world.network.listen(port: SimulationNetwork.port) { [unowned self] in accept($0) }
    }

    private func accept(_ channel: VirtualChannel) {
        endpoint.accept(channel)
        guard world.dice.strikes(.slowServer) else { return }
        let length = world.dice.duration(of: .slowServer, .seconds(1) ... .seconds(30))
        world.alarms.after(world.dice.duration(of: .slowServer, .zero ... .seconds(60))) {
            [world] in
            channel.setReading(false)
            world.alarms.after(length) { channel.setReading(true) }
        }
    }

    private static func behaviour(_ dice: SimulationDice) -> EndpointBehaviour {
        var behaviour = EndpointBehaviour()
        behaviour.echoes = false
        if dice.strikes(.refusedUpgrade) {
            let seconds = dice.number(of: .refusedUpgrade, 0...20)
            let refusals: [EndpointBehaviour.Refusal] = [
                .status(503, retryAfterSeconds: seconds > 0 ? seconds : nil), .garbage,
                .badAccept, .silence, .reset,
            ]
            behaviour.refusal =
                refusals[dice.number(of: .refusedUpgrade, 0...(refusals.count - 1))]
        }
        if dice.strikes(.lateUpgrade) {
            behaviour.answerDelay = dice.duration(of: .lateUpgrade, .zero ... .seconds(40))
        }
        if dice.strikes(.doublePong) { behaviour.pong = .double }
        if dice.strikes(.latePong) {
            behaviour.pong = .late(dice.duration(of: .latePong, .zero ... .seconds(15)))
        }
        if dice.strikes(.wrongPong) { behaviour.pong = .wrong }
        if dice.strikes(.missingPong) { behaviour.pong = .off }
        if dice.strikes(.serverClose) {
            let delay = dice.duration(of: .serverClose, .zero ... .seconds(120))
            let codes: [CloseCode?] = [nil, .normalClosure, .goingAway, .internalError]
            let place = dice.number(of: .serverClose, 0...codes.count)
            if place < codes.count {
                behaviour.close = EndpointBehaviour.Close(code: codes[place], after: delay)
            } else {
                behaviour.drop = EndpointBehaviour.Drop(.fin, after: delay)
            }
        }
        return behaviour
    }

    // MARK: Reading

    private func read(_ message: Message, from connection: EndpointConnection) {
        switch SimulationPayload(message) {
        case .delivered(let id, let isMarked, let inner):
            guard let arrival = Self.arrival(connection) else { return }
            audit.arrived(id, inner, isMarked: isMarked, arrival)
            if acknowledges {
                try? connection.send(SimulationPayload.acknowledged(id).message())
            }
        case .sent(let serial): audit.arrivedOnce(serial)
        case .acknowledged, .pushed, nil:
            world.auditor.violated(.identity, "the server got what no client sends")
        }
    }

    private func heard(_ event: EndpointEvent) {
        switch event.kind {
        case .ping: pinged(event.connection)
        case .ended: unanswered[event.connection] = nil
        case .accepted, .requested, .opened, .refused, .message, .pong, .closeReceived, .closeSent,
            .dropped, .frozen:
            return
        }
    }

    /// A client has at most one ping out, but for those that took another's place.
    private func pinged(_ number: Int) {
        guard let connection = endpoint.connections.first(where: { $0.number == number }),
            let arrival = Self.arrival(connection)
        else { return }
        let count = unanswered[number, default: 0] + 1
        if count > 1 + replacedPings(arrival) {
            world.auditor.violated(.onePing, "\(count) pings are out on \(arrival.generation)")
        }
        switch connection.behaviour.pong {
        case .on, .double: return
        case .off, .wrong: unanswered[number] = count
        case .late(let delay):
            unanswered[number] = count
            world.alarms.after(delay) { [unowned self] in
                if let count = unanswered[number] { unanswered[number] = count - 1 }
            }
        }
    }

    private static func arrival(
        _ connection: EndpointConnection
    ) -> SimulationDeliveryAudit.Arrival? {
        let words = connection.request?.headers[whoField]?.split(separator: ".") ?? []
        guard words.count == 2, let life = Int(words[0]), let number = UInt64(words[1]) else {
            return nil
        }
        return SimulationDeliveryAudit.Arrival(life: life, generation: Generation(number))
    }
}

/// Lets the endpoint's journal reach the server, which is made around it.
private final class Book {
    weak var server: SimulationServer?
}

/// Carries the dice to the endpoint's script, which asks them in the domain.
private struct Confined: @unchecked Sendable {
    let dice: SimulationDice
}
