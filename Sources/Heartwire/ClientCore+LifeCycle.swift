import HeartwireSession

// Sleep, the background and the network's paths (promises L1–L3, R6). What they lead to, the machine decides.
extension ClientCore {
    func suspend() {
        handle(.suspendRequested)
    }

    func resume() {
        handle(.resumeRequested)
    }

    /// Hears of the network's paths from the first wish for a connection until the session stops (R5).
    ///
    /// The report holds the core until then, as a transport does: an abandoned session stops by itself, and a weak
    /// reference would make every retain of the core on the messages' way slower.
    func watchPaths(in state: SessionState) {
        switch state {
        case .idle, .stopped:
            pathSubscription?.cancel()
            pathSubscription = nil
        case .connecting, .open, .closing, .waiting, .suspended:
            guard pathSubscription == nil, let pathMonitor else { return }
            pathSubscription = pathMonitor.subscribe(in: executor) { path in
                self.pathChanged(path)
            }
        }
    }

    /// What was under way to a subscriber that has cancelled goes nowhere.
    private func pathChanged(_ path: NetworkPath) {
        guard pathSubscription != nil else { return }
        handle(.pathChanged(path))
    }
}

extension ClientConfiguration {
    /// The monitor that is meant.
    var presentPathMonitor: (any PathMonitor)? {
        switch pathMonitor {
        case .off: nil
        case .system: transport.pathMonitor
        case .custom(let monitor): monitor
        }
    }
}
