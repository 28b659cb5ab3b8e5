// swift-format-ignore-file
// A stand-in for Network: just what this package uses, to type-check it where there is no Network.

import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}

public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set { _ = newValue }
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
