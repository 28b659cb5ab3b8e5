#if os(Linux)
    import Dispatch
    import Glibc
    public import HeartwireSocket

    /// A network of its own for one event loop: the loop's thread leaves the network of the process (`unshare(2)`), so
    /// its sockets, and the programs that it starts, are in the new one. It needs root.
    ///
    /// The kernel takes the network away when the thread has ended and its sockets are closed, in whichever way the
    /// process ends, so nothing has to be cleaned up.
    public final class NetworkNamespace: Sendable {
        /// What prevents such networks here, in words; `nil` for nothing.
        public static let obstacle: String? = {
            guard geteuid() == 0 else { return "needs root" }
            do {
                let trial = try NetworkNamespace("trial")
                defer { trial.close() }
                try trial.ip("link set lo up")
                return nil
            } catch {
                return "\(error)"
            }
        }()

        /// The loop that lives in this network.
        public let loop: EventLoop
        /// The loop's thread, by which the kernel names its network.
        public let thread: Int32

        /// Makes a network that has nothing but a loopback that is off.
        public init(_ name: String) throws {
            let loop = EventLoop(name: name)
            self.loop = loop
            do {
                thread = try Self.run(on: loop) {
                    let status = try Self.call("unshare", with: Self.newNetwork)
                    guard status == 0 else { throw NamespaceFailure("no new network", errno) }
                    return try Self.call("gettid", with: 0)
                }
            } catch {
                loop.shutdown()
                throw error
            }
        }

        /// Ends the loop, and with it the network.
        public func close() {
            loop.shutdown()
        }

        /// Makes a cable between two networks, and gives its ends these names and addresses. Returns when both ends have a
        /// carrier, which the kernel may take a second to say.
        public static func connect(
            _ one: (space: NetworkNamespace, link: String, address: String),
            _ other: (space: NetworkNamespace, link: String, address: String)
        ) throws {
            let peer = "peer name \(other.link) netns \(other.space.thread)"
            try one.space.ip("link add \(one.link) type veth \(peer)")
            for end in [one, other] {
                try end.space.ip("link set \(end.link) addrgenmode none up")
                try end.space.ip("addr add \(end.address) dev \(end.link)")
            }
            for end in [one, other] {
                var isUp = false
                for _ in 0..<500 where !isUp {
                    isUp = try end.space.ip("-o link show dev \(end.link)").contains("state UP")
                    if !isUp { usleep(10_000) }
                }
                guard isUp else { throw NamespaceFailure("\(end.link) has no carrier", 0) }
            }
        }

        /// Runs `ip` with these arguments in this network, to its end. Gives what it prints.
        @discardableResult
        public func ip(_ arguments: String) throws -> String {
            try ip([arguments])
        }

        /// Runs `ip` once for each of these, all in one turn of the loop.
        @discardableResult
        public func ip(_ commands: [String]) throws -> String {
            try Self.run(on: loop) { try commands.map(Self.spawn).joined() }
        }

        private static func spawn(_ arguments: String) throws -> String {
            guard let pipe = popen("ip \(arguments) 2>&1", "r") else {
                throw NamespaceFailure("no shell", errno)
            }
            var output: [UInt8] = []
            while case let byte = fgetc(pipe), byte >= 0 { output.append(UInt8(byte)) }
            let status = pclose(pipe)
            let text = String(decoding: output, as: UTF8.self)
            guard status == 0 else { throw NamespaceFailure("ip \(arguments): \(text)", status) }
            return text
        }

        /// Runs `body` on the loop and waits for it.
        private static func run<Value: Sendable>(
            on loop: EventLoop, _ body: @escaping @Sendable () throws -> Value
        ) throws -> Value {
            let box = Box<Value>()
            let isDone = DispatchSemaphore(value: 0)
            loop.execute {
                box.result = Result { try body() }
                isDone.signal()
            }
            isDone.wait()
            guard let result = box.result else { throw NamespaceFailure("the loop has ended", 0) }
            return try result.get()
        }

        /// CLONE_NEWNET of linux/sched.h.
        private static let newNetwork: Int32 = 0x4000_0000

        /// Calls what glibc shows to GNU sources only.
        private static func call(_ name: String, with argument: Int32) throws -> Int32 {
            guard let symbol = dlsym(nil, name) else { throw NamespaceFailure("no \(name)", 0) }
            typealias Function = @convention(c) (Int32) -> Int32
            return unsafeBitCast(symbol, to: Function.self)(argument)
        }

        /// Written before the signal and read behind it.
        private final class Box<Value>: @unchecked Sendable {
            var result: Result<Value, any Error>?
        }
    }

    /// What could not be done to a network.
    public struct NamespaceFailure: Error, CustomStringConvertible {
        private let words: String
        private let status: Int32

        init(_ words: String, _ status: Int32) {
            self.words = words
            self.status = status
        }

        /// One line for people.
        public var description: String { "\(words) (\(status))" }
    }
#endif
