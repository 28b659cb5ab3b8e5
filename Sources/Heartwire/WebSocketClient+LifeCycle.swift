import HeartwireSession

// Sleep and the background.
extension WebSocketClient {
    /// Tells the session that the process is about to sleep, or to lose the processor or the network: when an app
    /// goes to the background. Returns at once.
    ///
    /// Until ``resume()`` no time counts and none of the session's timers runs (promise L1): no ping goes out, no
    /// verdict is passed, and no connection is begun. An open connection is kept as long as it lasts: messages arrive
    /// and can be sent, and what is delivered goes out, but is not confirmed by a fence before the resume. An
    /// attempt goes on. A back-off wait ends in the state `suspended`, and so does a connection that is lost or asked for
    /// meanwhile. A close that is under way is cut short, since its answer cannot be waited for.
    ///
    /// Suspending twice changes nothing. ``disconnect()`` ends the suspension with the session.
    public func suspend() {
        core.suspend()
    }

    /// Tells the session that the process is back. Returns at once.
    ///
    /// An open connection must prove itself at once: a fresh ping goes out, and only its own pong counts, within
    /// ``HeartbeatSettings/probeTimeout``. Neither older pongs nor messages that the kernel kept are a sign of
    /// life (promise L2). Then the connection is used further, or replaced without a back-off; without a heartbeat there is
    /// nothing to judge it by, and it is used further. The time of an attempt goes on where it stood. Where there is no
    /// connection and one is wanted, an attempt begins at once, unless the server asked for the wait or another was cut
    /// short less than ``ClientConfiguration/wakeSpacing`` ago: then the wait goes on (promise R6).
    ///
    /// Without a suspension this changes nothing.
    public func resume() {
        core.resume()
    }

    /// Whether the session was suspended and not resumed.
    public var isSuspended: Bool { core.machine.isSuspended }
}
