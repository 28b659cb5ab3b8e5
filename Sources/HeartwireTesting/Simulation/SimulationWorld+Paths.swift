import HeartwireSession

// The machine's network, as its monitor tells it. The way to the server does not depend on it: the machine may be wrong.
extension SimulationWorld {
    /// There is no usable path for a while.
    func losePaths() {
        pathsBecome(.unusable)
        let pause = dice.duration(of: .pathLost, .seconds(1) ... .seconds(120))
        alarms.after(pause) { [unowned self] in pathsBecome(.usable) }
    }

    /// A few changes, one soon after the other.
    func changePaths() {
        for _ in 0..<dice.number(of: .pathChanged, 1...3) {
            let pause = dice.duration(of: .pathChanged, .zero ... .seconds(1))
            alarms.after(pause) { [unowned self] in pathsBecome(.usable) }
        }
    }

    /// A client has begun to wait, or is in the background.
    func begunToWait() {
        guard dice.strikes(.pathInWait) else { return }
        auditor.note(SimulationFault.pathInWait.rawValue, life: life?.number ?? 0)
        let pauses = (0..<2).map { _ in
            dice.duration(of: .pathInWait, .zero ... .seconds(3))
        }
        if dice.number(of: .pathInWait, 0...2) == 0 {
            alarms.after(pauses[0]) { [unowned self] in pathsBecome(.unusable) }
        }
        alarms.after(pauses[0] + pauses[1]) { [unowned self] in pathsBecome(.usable) }
    }

    private func pathsBecome(_ path: NetworkPath) {
        auditor.note("path-\(path.rawValue)", life: life?.number ?? 0)
        guard let life else { return paths.change(to: path) }
        life.pathChanged(to: path) { paths.change(to: path) }
    }
}
