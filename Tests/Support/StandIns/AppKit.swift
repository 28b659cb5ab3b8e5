// swift-format-ignore-file
// A stand-in for AppKit: just what this package uses, to type-check it where there is no AppKit.

@_exported import Foundation

@MainActor
public final class NSWorkspace {
    public static var shared: NSWorkspace { fatalError() }
    public var notificationCenter: NotificationCenter { fatalError() }
    public nonisolated static let willSleepNotification = Notification.Name("sleep")
    public nonisolated static let didWakeNotification = Notification.Name("wake")
}
