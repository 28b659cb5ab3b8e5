import HeartwireProtocol
import HeartwireSession
import HeartwireSocket

/// The way from the clients to the server: a ``VirtualNetwork`` on which the dice decide how each connection fares.
///
/// `@unchecked Sendable`: it lives in its executor's domain, and is only handed through other places.
final class SimulationNetwork: ChannelConnector, @unchecked Sendable {
    /// The server's port.
    static let port: UInt16 = 80
    private static let silentPort: UInt16 = 2
    private static let deadPort: UInt16 = 1

    let executor: any SessionExecutor
    let network: VirtualNetwork
    /// How many connections were asked for.
    private(set) var attempts = 0
    /// The line that was opened last.
    private(set) weak var newest: SimulationLine?
    private let dice: SimulationDice
    private let alarms: SimulationAlarms
    private let auditor: SimulationAuditor
    private var lines: [SimulationLine] = []

    init(
        _ executor: any SessionExecutor, dice: SimulationDice, alarms: SimulationAlarms,
        auditor: SimulationAuditor
    ) {
        self.executor = executor
        self.dice = dice
        self.alarms = alarms
        self.auditor = auditor
        network = VirtualNetwork(executor: executor)
        network.blackHole(port: Self.silentPort)
    }

    /// The client's ends that are not closed.
    var living: [SimulationLine] {
        lines.removeAll(where: \.isOver)
        return lines
    }

    func connect(to url: WebSocketURL, handler: any ByteChannelHandler) -> any ByteChannel {
        attempts += 1
        let line = SimulationLine(auditor, executor: executor)
        network.latency =
            dice.strikes(.delay)
            ? dice.duration(of: .delay, .milliseconds(200) ... .seconds(3))
            : dice.duration(.network, .zero ... .milliseconds(80))
        network.readSize = dice.strikes(.smallReads) ? 24 : VirtualNetwork.defaultReadSize
        var port = Self.port
        if dice.strikes(.refusedConnect) { port = Self.deadPort }
        if dice.strikes(.unansweredConnect) { port = Self.silentPort }
        line.cuts.beforeRequest = dice.strikes(.lostInTCP)
        if dice.strikes(.lostInHandshake) {
            line.cuts.answerBytes = dice.number(of: .lostInHandshake, 1...120)
        }
        if dice.strikes(.lostInFrame) {
            let place = dice.number(of: .lostInFrame, 1...60)
            if place.isMultiple(of: 2) { line.cuts.write = place } else { line.cuts.read = place }
        }
        line.begin(network.connect(port: port, handler: line), handler: handler)
        scheduleFaults(of: line)
        lines.append(line)
        if lines.count > 64 { lines.removeAll(where: \.isOver) }
        newest = line
        return line
    }

    private func scheduleFaults(of line: SimulationLine) {
        if dice.strikes(.lostWhenOpen) {
            alarms.after(dice.duration(of: .lostWhenOpen, .zero ... .seconds(180))) { line.lose() }
        }
        if dice.strikes(.stall) {
            let length = dice.duration(of: .stall, .milliseconds(50) ... .seconds(8))
            alarms.after(dice.duration(of: .stall, .zero ... .seconds(120))) { [alarms] in
                line.freeze(for: length, alarms)
            }
        }
        if dice.strikes(.freeze) {
            let comesBack = dice.number(of: .freeze, 1...3) == 1
            let length = dice.duration(of: .freeze, .seconds(20) ... .seconds(240))
            alarms.after(dice.duration(of: .freeze, .zero ... .seconds(240))) { [alarms] in
                line.freeze(for: comesBack ? length : nil, alarms)
            }
        }
    }
}
