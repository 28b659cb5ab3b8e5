import HeartwireProtocol
import HeartwireSession

/// What `connect` needs of a client, and no more: a test stands in for it with a scripted one.
protocol LineClient: Sendable {
    /// Connects, and returns when the connection is open or will not be; `false` is the latter.
    func open() async -> Bool

    /// Sends `message` and returns when there is room for the next.
    ///
    /// - Returns: `false` when the connection has ended, or is closing, and nothing was sent.
    func send(_ message: Message) async -> Bool

    /// The next message that arrived; `nil` when there will be none any more. Messages that arrived before the
    /// end come before the `nil` (field case K10-08).
    func nextMessage() async -> Message?

    /// Closes in order and returns when that is done or its deadline has passed. Changes nothing when the
    /// connection has ended; also stops an attempt to connect.
    func close(_ code: CloseCode) async

    /// The one cause of the end, once there is an end.
    func cause() async -> CloseCause
}
