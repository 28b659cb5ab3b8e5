#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// A detached thread of the system: the loop's own, and one for each name that is being looked up.
package enum SystemThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ start: UnsafeMutableRawPointer) {
            let start = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
            #if canImport(Darwin)
                pthread_setname_np(start.name)
            #else
                heartwire_name_thread(start.name)
            #endif
            start.body()
        }
    }

    /// Runs `body` on a new thread. Answers the system's error number, 0 for success.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let box = Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
            var handle: pthread_t?
            let status = pthread_create(
                &handle, nil,
                { start in
                    Start.run(start)
                    return nil
                }, box.toOpaque())
            if status == 0, let handle { pthread_detach(handle) }
        #else
            var handle = pthread_t()
            let status = pthread_create(
                &handle, nil,
                { start in
                    if let start { Start.run(start) }
                    return nil
                }, box.toOpaque())
            if status == 0 { pthread_detach(handle) }
        #endif
        if status != 0 { box.release() }
        return status
    }

    /// What tells the calling thread from others.
    static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}
