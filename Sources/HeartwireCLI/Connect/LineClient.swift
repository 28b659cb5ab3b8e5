import HeartwireProtocol
import HeartwireSession

/// What became of a message that ``LineClient/send(_:)`` was given.
enum LineOutcome: Sendable, Hashable {
    /// It was handed to a connection, before which so many others had ended; see ``LineLedger``.
    case sent(endedBefore: Int)
    /// It was not sent, and nothing will be any more.
    case ended
}

/// What `connect` needs of a client, and no more: a test stands in for it with a scripted one.
protocol LineClient: Sendable {
    /// Connects, and returns when the first attempt has come to its end: whether the connection is open.
    func open() async -> Bool

    /// Sends `message` and returns when there is room for the next; while the connection is made anew it waits.
    func send(_ message: Message) async -> LineOutcome

    /// The next message that arrived; `nil` when there will be none any more. Messages that arrived before the
    /// end come before the `nil` (field case K10-08). One task at a time.
    func nextMessage() async -> Message?

    /// How many bytes of what was sent the server's system has not acknowledged.
    func unacknowledgedBytes() async -> Int

    /// No ping goes out, and none is judged, until it is told otherwise.
    func pauseHeartbeat(_ isPaused: Bool) async

    /// From now on a connection that ends is not made anew.
    func stopReconnecting() async

    /// Closes in order and returns when that is done or its deadline has passed. Changes nothing when the
    /// connection has ended; also stops an attempt to connect.
    func close(_ code: CloseCode) async

    /// How many messages came during the close and were dropped, because those before them had not been taken.
    func droppedMessages() async -> Int

    /// The one cause of the last connection's end, once there is an end.
    func cause() async -> CloseCause
}
