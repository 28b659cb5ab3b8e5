import Foundation
import HeartwireProtocol
public import HeartwireSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Makes connections over Foundation's `URLSessionWebSocketTask`, each in a session of its own (promise T3).
///
/// What the platform does by itself cannot be changed from here: it answers pings and tells nobody, it offers compression
/// or does not, and it reads ahead of the app. What a request asks for beyond the platform's means
/// ends the attempt with a typed failure.
public struct URLSessionTransportFactory: TransportFactory {
    private let queue: DispatchExecutor
    private let options: URLSessionOptions
    /// Whether the platform lets some apps only.
    private let isRestricted: Bool

    /// Connects in the domain of `executor`.
    public init(
        executor: DispatchExecutor = .shared, options: URLSessionOptions = URLSessionOptions()
    ) {
        self.init(
            executor: executor, options: options, isRestricted: LowLevelNetworking.isRestricted)
    }

    package init(executor: DispatchExecutor, options: URLSessionOptions, isRestricted: Bool) {
        queue = executor
        self.options = options
        self.isRestricted = isRestricted
    }

    /// The queue on which the transports live.
    public var executor: any SessionExecutor { queue }

    /// Whether the platform's task speaks WebSocket at all.
    ///
    /// It does on Apple. On Linux it depends on what FoundationNetworking was built against; where it does not, each
    /// attempt fails.
    public static var isSupported: Bool {
        #if canImport(Darwin)
            true
        #else
            typealias Answer = @convention(c) () -> CBool
            guard let symbol = dlsym(nil, "CFURLSessionWebSocketsSupported") else { return false }
            return unsafeBitCast(symbol, to: Answer.self)()
        #endif
    }

    /// Makes a transport for `generation` that has not begun to connect.
    public func makeTransport(
        _ generation: Generation, request: ConnectionRequest, observer: any TransportObserver
    ) -> any Transport {
        URLSessionTransport(
            generation, limits: request.effectiveLimits, executor: queue, observer: observer
        ) { [queue, options, isRestricted] inbox in
            if let obstacle = options.networking.obstacle(isRestricted: isRestricted)
                ?? NativeFeatures.here.obstacle(to: request)
            {
                return .failure(obstacle)
            }
            guard let urlRequest = URLRequest(request.opening) else {
                return .failure(ConnectionFailure(.system))
            }
            return .success(
                FoundationTask(
                    request, urlRequest, options: options, executor: queue, inbox: inbox))
        }
    }
}
