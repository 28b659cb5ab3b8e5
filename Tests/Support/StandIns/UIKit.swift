// swift-format-ignore-file
// A stand-in for UIKit: just what this package uses, to type-check it where there is no UIKit.

@_exported import Foundation

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

@MainActor
public final class UIApplication {
    public static var shared: UIApplication { fatalError() }
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("away")
    public nonisolated static let willEnterForegroundNotification = Notification.Name("back")
    public func beginBackgroundTask(
        withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
