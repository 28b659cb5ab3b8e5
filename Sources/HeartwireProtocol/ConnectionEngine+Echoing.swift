// What goes back as it came, straight from the received bytes.

extension ConnectionEngine {
    /// What ``echo(firstOf:)`` has taken and queued.
    package struct Echo: Sendable, Hashable {
        /// How many of the bytes that arrived are done with.
        package let frameBytes: Int
        /// How many bytes the message has.
        package let payloadBytes: Int
    }

    /// Takes the message that `bytes`, which have arrived, begin with and queues it to be sent back. It never becomes a
    /// message of its own: its payload goes from `bytes` into what is to be written.
    ///
    /// Only for a server, and only where that is the same as to receive the message and then send it: it is binary, not
    /// compressed, shorter than ``longMessageBytes`` and lies whole in `bytes` in one frame, and nothing that came before
    /// it waits to be taken.
    ///
    /// - Returns: what was taken; `nil` for all else, which is for ``receive(_:)`` then.
    package mutating func echo(firstOf bytes: Span<UInt8>) -> Echo? {
        guard role == .server, state == .open, !isDeaf, agreement == nil, events.count == 0,
            let header = frames.wholeBinary(bytes),
            header.payloadLength < Self.longMessageBytes
        else { return nil }
        let end = header.size &+ header.payloadLength
        unsafe bytes.extracting(header.size..<end).withUnsafeBytes {
            unsafe FrameWriter.appendEcho(
                .binary, payload: $0, maskedWith: header.maskingKey, to: &outgoing)
        }
        return Echo(frameBytes: end, payloadBytes: header.payloadLength)
    }
}
