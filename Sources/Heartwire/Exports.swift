// Whoever imports Heartwire works with messages, close codes, states and policies, which stand on the floors
// below: one import is enough for them.
@_exported public import HeartwireProtocol
@_exported public import HeartwireSession
