#if os(Linux)
    import Foundation
    import HeartwireSession
    import Testing

    @testable import HeartwireSocket

    /// The tests' certificates as files, for other programs. They go with this object.
    final class PEMFiles {
        private let folder: URL
        let authority: String
        let certificate: String
        let key: String

        init() throws {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("heartwire-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func write(_ text: String, _ name: String) throws -> String {
                let place = folder.appendingPathComponent(name)
                try Data(text.utf8).write(to: place)
                return place.path
            }
            self.folder = folder
            authority = try write(Certificates.authorityPEM, "authority.pem")
            certificate = try write(Certificates.good.certificates, "certificate.pem")
            key = try write(Certificates.good.privateKey, "key.pem")
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    /// OpenSSL's own program.
    enum OpenSSL {
        private static let limit = DispatchTimeInterval.seconds(300)

        static func process(_ arguments: [String]) -> Process {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = arguments
            return process
        }

        /// Kills a process that has not ended in time, so that no test hangs.
        static func bound(_ process: Process) -> DispatchWorkItem {
            let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
            return watchdog
        }

        /// Runs it without input to its end; gives all that it printed.
        static func run(_ arguments: [String]) throws -> String {
            let process = process(arguments)
            let output = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let watchdog = bound(process)
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            watchdog.cancel()
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// `openssl s_server` on a free port.
    final class OpenSSLServer: @unchecked Sendable {
        let port: UInt16
        private let process: Process
        private let watchdog: DispatchWorkItem
        private let input: Pipe
        private let printed: Printed

        init(_ arguments: [String], _ files: PEMFiles, isWeb: Bool = true) throws {
            let port = try Self.freePort()
            let process = OpenSSL.process(
                [
                    "s_server", "-accept", "127.0.0.1:\(port)", "-cert", files.certificate, "-key",
                    files.key,
                ] + (isWeb ? ["-www"] : []) + arguments)
            let input = Pipe()
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            process.standardError = output
            let printed = Printed()
            printed.follow(output.fileHandleForReading)
            try process.run()
            watchdog = OpenSSL.bound(process)
            self.port = port
            self.process = process
            self.input = input
            self.printed = printed
            try Self.waitUntilListening(port)
        }

        func type(_ text: String) {
            try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }

        /// Whether the server has printed `text` before its end.
        func waitForOutput(_ text: String) -> Bool { printed.wait(for: text) }

        /// Not by SIGTERM: a child has the signals blocked that the thread has which starts it, and those of the pool
        /// block that one.
        func stop() {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            watchdog.cancel()
        }

        /// A port that was free a moment ago.
        private static func freePort() throws -> UInt16 {
            let loop = EventLoop(name: "port")
            defer { loop.shutdown() }
            let listener = try TCPListener.listen(on: loop) { _ in }
            listener.close()
            let closed = DispatchSemaphore(value: 0)
            loop.execute { closed.signal() }
            closed.wait()
            return listener.port
        }

        private static func waitUntilListening(_ port: UInt16) throws {
            for _ in 0..<1_000 {
                guard
                    case .success(let addresses) = Resolver.lookUp(
                        "127.0.0.1", port: port, flags: AI_NUMERICHOST),
                    let address = addresses.first
                else { break }
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(descriptor) }
                if address.withSockaddr({ Glibc.connect(descriptor, $0, $1) }) == 0 { return }
                usleep(10_000)
            }
            throw TLSFailure.unavailable
        }
    }

    /// What a program prints, as it grows.
    private final class Printed: Sendable {
        private struct Content {
            var bytes: [UInt8] = []
            var hasEnded = false
        }

        private let content = Locked(Content())
        private let changed = DispatchSemaphore(value: 0)

        func follow(_ handle: FileHandle) {
            DispatchQueue(label: "openssl").async {
                while true {
                    let data = handle.availableData
                    self.content.withLock {
                        $0.bytes += data
                        $0.hasEnded = data.isEmpty
                    }
                    self.changed.signal()
                    if data.isEmpty { return }
                }
            }
        }

        func wait(for text: String) -> Bool {
            let wanted = Array(text.utf8)
            while true {
                let content = content.withLock { $0 }
                if contains(content.bytes, wanted) { return true }
                if content.hasEnded { return false }
                changed.wait()
            }
        }
    }
#endif
