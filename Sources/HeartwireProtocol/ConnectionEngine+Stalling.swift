// A peer that begins a frame and does not go on.

extension ConnectionEngine {
    /// Whether a frame has begun, were it with a byte of its header, that has not arrived in full.
    @inlinable
    public var isInFrame: Bool { state == .open && frames.isInFrame }

    /// Fails the connection because the frame that has begun has stood still for ``Limits/frameStall``: its owner
    /// has the clock. Does nothing between frames.
    public mutating func frameStalled() {
        guard isInFrame else { return }
        failForPeer(
            ProtocolViolation(
                closeCode: .policyViolation, clause: "10.4",
                expected: "a frame to go on within \(limits.value.frameStall)",
                seen: "nothing of it"))
    }
}
