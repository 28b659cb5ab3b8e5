#if os(Linux)
    import Foundation
    import Heartwire
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    /// Real time: TLS over the system's TCP, and against OpenSSL's own programs.
    @Suite("TLS over TCP", .serialized, .timeLimit(.minutes(2)))
    struct TLSOverTCPTests {
        private let loop = EventLoop(name: "tls-tests")
        private let endpoint: Endpoint

        init() {
            endpoint = Endpoint(executor: loop, random: SeededRandomSource(seed: 1))
        }

        private func listen(_ configuration: TLSServerConfiguration = .test()) throws -> TCPListener
        {
            let acceptor = try TLSAcceptor(configuration)
            let endpoint = endpoint
            return try TCPListener.listen(on: loop) { channel in
                guard let secure = try? acceptor.channel(over: channel) else { return }
                endpoint.accept(secure)
                channel.start()
            }
        }

        private func client(_ port: UInt16, _ target: String = "/") throws -> WebSocketClient {
            let loop = loop
            return try WebSocketClient("wss://127.0.0.1:\(port)\(target)") { configuration in
                configuration.transport = SocketTransportFactory(loop: loop)
                configuration.tls = .test
                configuration.reconnect = nil
            }
        }

        @Test("T2, P3: a thousand messages and one of 8 MiB come back unchanged (real time)")
        func echo() async throws {
            let listener = try listen()
            let client = try client(listener.port)
            let large = Message.binary((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 13) })
            let isWhole = try await Task(executorPreference: loop.taskExecutor) {
                var iterator = client.messages.makeAsyncIterator()
                await client.connect()
                try await client.waitUntilOpen()
                for number in 0..<1_000 { try await client.send(.text("message \(number)")) }
                try await client.send(large)
                for number in 0..<1_000 {
                    guard await iterator.next() == .text("message \(number)") else { return false }
                }
                guard await iterator.next() == large else { return false }
                await client.disconnect()
                return true
            }.value
            #expect(isWhole)
            listener.close()
            loop.shutdown()
        }

        @Test(
            "K08-09: after 200 failed connects no descriptor, timer or channel is left (real time)")
        func leaks() async throws {
            let listener = try listen(.test(Certificates.selfSigned))
            try await on(loop) {}
            let before = try await on(loop) { loop.watchedCount }
            for _ in 0..<200 {
                let client = try client(listener.port)
                await client.connect()
                await #expect(throws: SessionStopped.self) { try await client.waitUntilOpen() }
                let cause = await client.stopCause()
                guard case .connectFailed(let failure)? = cause, failure.tls?.kind == .untrusted
                else {
                    Issue.record("\(String(describing: cause))")
                    break
                }
            }
            let endpoint = endpoint
            let log = Log<Int>()
            @Sendable func look() {
                if loop.watchedCount == before, loop.timerCount == 0, endpoint.counters.living == 0
                {
                    return log.add(0)
                }
                _ = loop.schedule(at: loop.now().advanced(by: .milliseconds(10)), look)
            }
            // Its own timer has fired when it looks.
            loop.execute(look)
            await log.wait { !$0.isEmpty }
            #expect(endpoint.counters.accepted == 200)
            #expect(endpoint.counters.opened == 0)
            listener.close()
            loop.shutdown()
        }

        @Test("T2, P3: openssl s_client shakes hands with the endpoint, and resumes (real time)")
        func sClient() throws {
            let listener = try listen()
            let files = try PEMFiles()
            for version in ["-tls1_2", "-tls1_3"] {
                let run = try OpenSSL.run([
                    "s_client", "-connect", "127.0.0.1:\(listener.port)", version, "-alpn",
                    "http/1.1",
                    "-CAfile", files.authority, "-verify_return_error", "-verify_ip", "127.0.0.1",
                ])
                #expect(run.contains("Verify return code: 0 (ok)"))
                #expect(run.contains("ALPN protocol: http/1.1"))
            }
            let h2 = try OpenSSL.run([
                "s_client", "-connect", "127.0.0.1:\(listener.port)", "-alpn", "h2",
            ])
            #expect(h2.contains("alert no application protocol"))
            listener.close()
            loop.shutdown()
        }

        @Test(
            "T2, P3: the client speaks to openssl s_server (real time)",
            arguments: ["-tls1_2", "-tls1_3"])
        func sServer(version: String) async throws {
            let files = try PEMFiles()
            let server = try OpenSSLServer([version], files)
            let channel = try await connect(server.port)
            try await on(loop) { channel.write(Array("GET /stats HTTP/1.0\r\n\r\n".utf8)) }
            let reports = await channel.handler.log.wait {
                $0.contains(.endOfStream) || $0.contains(.failed(.tls))
            }
            let page = String(decoding: RecordingHandler.bytes(reports), as: UTF8.self)
            #expect(page.contains("HTTP/1.0 200 ok"))
            server.stop()
            loop.shutdown()
        }

        @Test(
            "K08-08: a server that wants to renegotiate is refused, and nothing stalls (real time)")
        func renegotiation() async throws {
            let files = try PEMFiles()
            // `R` on its input makes the server ask for a renegotiation.
            let server = try OpenSSLServer(["-tls1_2"], files, isWeb: false)
            let channel = try await connect(server.port)
            try await on(loop) { channel.write(Array("before\n".utf8)) }
            #expect(server.waitForOutput("before"))
            server.type("R\n")
            #expect(server.waitForOutput("SSL_do_handshake ->"))
            let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            try await on(loop) { channel.write(block + Array("\nafter\n".utf8)) }
            // OpenSSL's server does not take no for an answer: it gives up with an alert, and that is told.
            let reports = await channel.handler.log.wait { entries in
                entries.contains { if case .failed = $0 { true } else { false } }
            }
            #expect(reports.contains(.failed(.tls)))
            try await on(loop) { channel.abort() }
            server.stop()
            loop.shutdown()
        }

        private func connect(_ port: UInt16) async throws -> SecureChannel {
            let loop = loop
            let handler = RecordingHandler()
            let channel = try await on(loop) {
                let url = try WebSocketURL("wss://127.0.0.1:\(port)/")
                let connector = TLSConnector(
                    base: TCPConnector(loop: loop), configuration: .test, contexts: TLSContexts())
                return SecureChannel(connector.connect(to: url, handler: handler), handler)
            }
            let reports = await handler.log.wait { !$0.isEmpty }
            #expect(reports.first == .connected)
            return channel
        }
    }

    /// A channel that a test hands from thread to thread; every call is made on the loop.
    private final class SecureChannel: @unchecked Sendable {
        private let channel: any ByteChannel
        let handler: RecordingHandler
        private var waiting: [UInt8] = []

        init(_ channel: any ByteChannel, _ handler: RecordingHandler) {
            self.channel = channel
            self.handler = handler
            handler.onWritable = { [unowned self] in write([]) }
        }

        func write(_ bytes: [UInt8]) {
            waiting += bytes
            let taken = waiting.withUnsafeBytes { channel.write($0) }
            waiting.removeFirst(min(taken, waiting.count))
        }

        func abort() { channel.abort(reset: false) }
    }
#endif
