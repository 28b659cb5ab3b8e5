#if canImport(UIKit) && !os(watchOS)
    import UIKit
#elseif canImport(WatchKit)
    import WatchKit
#elseif canImport(AppKit)
    import AppKit
#endif

#if canImport(UIKit) || canImport(WatchKit) || canImport(AppKit)
    /// Suspends a client when the app goes to the background, or the Mac to sleep, and resumes it afterwards (promise L2).
    ///
    /// Keep it as long as that is wanted. Not run on an Apple platform yet: type-checked against stand-ins for the
    /// platform's modules (`scripts/check-apple`).
    @MainActor
    public final class AppLifeCycle {
        private let observers: Observers

        /// Follows the app's life for `client`, which it does not keep.
        public init(_ client: WebSocketClient) {
            let follower = LifeCycleFollower(client)
            let wentAway: @Sendable () -> Void = { follower.wentAway() }
            let cameBack: @Sendable () -> Void = { follower.cameBack() }
            observers = Observers(
                Self.center, [(Self.wentAway, wentAway), (Self.cameBack, cameBack)])
        }

        #if canImport(UIKit) && !os(watchOS)
            private static var center: NotificationCenter { .default }
            private static var wentAway: Notification.Name {
                UIApplication.didEnterBackgroundNotification
            }
            private static var cameBack: Notification.Name {
                UIApplication.willEnterForegroundNotification
            }
        #elseif canImport(WatchKit)
            private static var center: NotificationCenter { .default }
            private static var wentAway: Notification.Name {
                WKApplication.didEnterBackgroundNotification
            }
            private static var cameBack: Notification.Name {
                WKApplication.willEnterForegroundNotification
            }
        #else
            private static var center: NotificationCenter { NSWorkspace.shared.notificationCenter }
            private static var wentAway: Notification.Name { NSWorkspace.willSleepNotification }
            private static var cameBack: Notification.Name { NSWorkspace.didWakeNotification }
        #endif
    }

    /// Observes as long as it lives.
    private final class Observers: @unchecked Sendable {
        private let center: NotificationCenter
        private let tokens: [any NSObjectProtocol]

        init(_ center: NotificationCenter, _ wanted: [(Notification.Name, @Sendable () -> Void)]) {
            self.center = center
            tokens = wanted.map { name, action in
                center.addObserver(forName: name, object: nil, queue: nil) { _ in action() }
            }
        }

        deinit { for token in tokens { center.removeObserver(token) } }
    }
#endif
