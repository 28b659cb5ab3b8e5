// swift-format-ignore-file
// A stand-in for WatchKit: just what this package uses, to type-check it where there is no WatchKit.

@_exported import Foundation

@MainActor
public final class WKApplication {
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("away")
    public nonisolated static let willEnterForegroundNotification = Notification.Name("back")
}
