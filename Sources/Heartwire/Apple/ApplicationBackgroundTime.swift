#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// The time that `UIApplication` gives (promise D6). Not run on an Apple platform yet: type-checked against a stand-in
    /// for UIKit (`scripts/check-apple`).
    public struct ApplicationBackgroundTime: BackgroundTime {
        /// Asks the shared application.
        public init() {}

        /// Begins a background task.
        public nonisolated(nonsending) func begin(
            _ name: String, expired: @escaping @Sendable () -> Void
        ) async -> Int? {
            await MainActor.run {
                let task = UIApplication.shared.beginBackgroundTask(
                    withName: name, expirationHandler: expired)
                return task == .invalid ? nil : task.rawValue
            }
        }

        /// Ends the background task.
        public nonisolated(nonsending) func end(_ request: Int) async {
            await MainActor.run {
                UIApplication.shared.endBackgroundTask(
                    UIBackgroundTaskIdentifier(rawValue: request))
            }
        }
    }
#endif
