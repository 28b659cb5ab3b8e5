#if os(Linux)
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    @Suite("TLS over a channel, in virtual time")
    struct TLSChannelTests {
        @Test(
            "P3: the stream is up after the handshake, and bytes go both ways",
            arguments: [1, 5, 65_536])
        func echo(readSize: Int) throws {
            let world = try TLSWorld(readSize: readSize)
            world.run()
            #expect(world.client.reports == [.progressed(.tls), .connected])
            world.write(Array("hello".utf8), on: world.channel)
            world.run()
            #expect(world.server.bytes == Array("hello".utf8))
            world.write(Array("and back".utf8), on: world.serverChannel)
            world.run()
            #expect(world.client.bytes == Array("and back".utf8))
        }

        @Test("P3: many bytes come over whole, through a line that takes few at a time")
        func backPressure() throws {
            let world = try TLSWorld(pipeCapacity: 10_000, readSize: 4_096)
            world.run()
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var sent = 0
            #expect(world.channel?.unacknowledgedBytes == 0)
            world.client.onWritable = {
                sent += world.write(Array(bytes[sent...]), on: world.channel)
            }
            world.perform { sent = world.write(bytes, on: world.channel) }
            #expect(sent < bytes.count)
            // With the framing of TLS, and beyond what the line holds.
            #expect(world.channel?.unacknowledgedBytes ?? 0 > sent)
            world.run()
            #expect(world.channel?.unacknowledgedBytes == 0)
            #expect(sent == bytes.count)
            let isWhole = world.server.bytes == bytes
            #expect(isWhole)
        }

        @Test("T4: while reading is paused nothing is reported, and afterwards everything")
        func pausing() throws {
            let world = try TLSWorld()
            world.run()
            world.perform { world.channel?.setReading(false) }
            let bytes = [UInt8](repeating: 3, count: 200_000)
            world.write(bytes, on: world.serverChannel)
            world.perform { world.serverChannel?.finish() }
            world.run()
            #expect(world.client.bytes.isEmpty)
            #expect(!world.client.reports.contains(.endOfStream))
            world.perform { world.channel?.setReading(true) }
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
            #expect(world.client.reports.last == .endOfStream)
        }

        @Test("T4: a pause from within a report holds back what is decrypted already")
        func pausingWithin() throws {
            let world = try TLSWorld()
            world.run()
            world.client.onBytes = { world.channel?.setReading(false) }
            let bytes = [UInt8](repeating: 3, count: 200_000)
            world.write(bytes, on: world.serverChannel)
            world.run()
            let first = world.client.bytes.count
            #expect(first > 0 && first <= TLSChannel.readBytes)
            world.client.onBytes = nil
            world.perform { world.channel?.setReading(true) }
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
        }

        @Test("K10-06: a record that breaks TLS is reported behind the pause that came before it")
        func brokenBehindPause() throws {
            let world = try TLSWorld()
            world.run()
            world.client.onBytes = { world.channel?.setReading(false) }
            world.client.channelReadsToTheEnd = true
            let record: [UInt8] = [0x17, 3, 3, 0, 20] + [UInt8](repeating: 9, count: 20)
            world.perform {
                _ = Array("last words".utf8).withUnsafeBytes { world.serverChannel?.write($0) }
                _ = record.withUnsafeBytes { world.serverBase?.write($0) }
            }
            world.run()
            #expect(world.client.bytes == Array("last words".utf8))
            let before = world.client.reports.count
            #expect(world.write([1], on: world.channel) == 0)
            world.run()
            #expect(world.client.reports.count == before)
            world.perform { world.channel?.setReading(true) }
            world.run()
            guard case .failed(let failure)? = world.client.reports.last else {
                Issue.record("\(world.client.reports)")
                return
            }
            #expect(failure.kind == .tls)
            #expect(world.client.reports.count == before + 1)
            #expect(world.isQuiet)
        }

        @Test("K08-05: an end with close_notify is the end of the stream, without it a failure")
        func endings() throws {
            let orderly = try TLSWorld()
            orderly.run()
            orderly.write(Array("last".utf8), on: orderly.serverChannel)
            orderly.perform { orderly.serverChannel?.finish() }
            orderly.run()
            #expect(orderly.client.bytes == Array("last".utf8))
            #expect(orderly.client.reports.last == .endOfStream)

            let cut = try TLSWorld()
            cut.run()
            cut.write(Array("last".utf8), on: cut.serverChannel)
            cut.perform { cut.serverBase?.finishWriting() }
            cut.run()
            #expect(cut.client.bytes == Array("last".utf8))
            #expect(cut.client.reports.last == .failed(ConnectionFailure(.truncated)))
            #expect(cut.isQuiet)
        }

        @Test("RFC 8446 6.1: announceEnd() says so once, behind what was written, and sends no FIN")
        func announcedEnd() throws {
            let world = try TLSWorld()
            world.run()
            world.write(Array("last".utf8), on: world.channel)
            world.perform { world.channel?.announceEnd() }
            world.perform { world.channel?.announceEnd() }
            world.run()
            #expect(world.server.bytes == Array("last".utf8))
            #expect(world.server.reports.last == .endOfStream)
            world.write(Array("heard".utf8), on: world.serverChannel)
            world.run()
            #expect(world.client.bytes == Array("heard".utf8))
            world.perform { world.channel?.finish() }
            world.run()
            #expect(world.server.reports.last == .endOfStream)
        }

        @Test("RFC 8446 6.1: after finishWriting() the other direction goes on")
        func halfClosed() throws {
            let world = try TLSWorld()
            world.run()
            world.perform { world.channel?.finishWriting() }
            world.run()
            #expect(world.server.reports.last == .endOfStream)
            #expect(world.write([1], on: world.channel) == 1)
            world.write(Array("still here".utf8), on: world.serverChannel)
            world.run()
            #expect(world.client.bytes == Array("still here".utf8))
            #expect(world.server.bytes.isEmpty)
        }

        @Test(
            "K08-01: after a failed check nothing of the app's has left, and the server has an alert"
        )
        func failedCheck() throws {
            let world = try TLSWorld(server: .test(Certificates.selfSigned))
            world.client.onConnected = { world.write(Array("GET".utf8), on: world.channel) }
            world.run()
            #expect(world.client.reports.count == 2)
            guard case .failed(let failure)? = world.client.reports.last else {
                Issue.record("\(world.client.reports)")
                return
            }
            #expect(failure.kind == .tls)
            #expect(failure.tls?.kind == .untrusted)
            #expect(world.server.bytes.isEmpty)
            #expect(world.server.reports == [.failed(ConnectionFailure(.alert(48)))])
            #expect(world.isQuiet)
        }

        @Test("P3: a pin is compared before anything is sent, on each connection")
        func pins() throws {
            let stranger = try Certificates.selfSigned.fingerprint().pin
            for _ in 0..<2 {
                let world = try TLSWorld(.test { $0.pins = [stranger] })
                world.run()
                #expect(world.client.reports.last == .failed(ConnectionFailure(.pinMismatch)))
                #expect(world.server.bytes.isEmpty)
                // RFC 8446 6.1: the server, which has shaken hands, is told that nothing will come.
                #expect(world.server.reports.last == .endOfStream)
                #expect(world.isQuiet)
            }
        }

        @Test(
            "K05-10: a server that says nothing keeps the attempt in the phase of TLS until it is aborted"
        )
        func stalled() throws {
            let silent = try TLSWorld(answers: false)
            silent.executor.advance(by: .seconds(60))
            #expect(silent.client.reports == [.progressed(.tls)])
            #expect(silent.write([1], on: silent.channel) == 0)
            silent.perform { silent.channel?.abort(reset: false) }
            silent.run()
            #expect(silent.client.reports == [.progressed(.tls)])
            #expect(silent.isQuiet)
        }

        @Test("P3: an end during the handshake is a failure of TLS, and a refused port is not")
        func early() throws {
            let cut = try TLSWorld(answers: false)
            cut.run()
            cut.perform { cut.serverBase?.finish() }
            cut.run()
            #expect(cut.client.reports.last == .failed(ConnectionFailure(.truncated)))
            let refused = try TLSWorld(listens: false)
            refused.run()
            #expect(
                refused.client.reports == [.failed(ConnectionFailure(.refused, systemCode: 111))])
            let reset = try TLSWorld(answers: false)
            reset.run()
            reset.perform { reset.serverBase?.abort(reset: true) }
            reset.run()
            guard case .failed(let failure)? = reset.client.reports.last else {
                Issue.record("\(reset.client.reports)")
                return
            }
            #expect(failure.kind == .reset)
        }

        @Test("finish() lets out what waits for room, for a second at most")
        func finishing() throws {
            let world = try TLSWorld(pipeCapacity: 8_192)
            world.run()
            let bytes = [UInt8](repeating: 9, count: 50_000)
            world.perform {
                #expect(world.write(bytes, on: world.channel) == bytes.count)
                world.channel?.finish()
            }
            world.run()
            let isWhole = world.server.bytes == bytes
            #expect(isWhole)
            #expect(world.server.reports.last == .endOfStream)

            let deaf = try TLSWorld(pipeCapacity: 8_192)
            deaf.run()
            deaf.perform {
                deaf.serverChannel?.setReading(false)
                _ = deaf.write(bytes, on: deaf.channel)
                deaf.channel?.finish()
            }
            deaf.executor.advance(by: TLSChannel.finishTimeout)
            #expect(deaf.executor.pendingTimers == 0)
        }

        @Test("An aborted channel reports nothing more and takes everything")
        func aborting() throws {
            for reset in [false, true] {
                let world = try TLSWorld()
                world.run()
                let before = world.client.reports
                world.perform {
                    world.channel?.abort(reset: reset)
                    world.channel?.abort(reset: reset)
                    world.channel?.setReading(false)
                    world.channel?.finishWriting()
                }
                #expect(world.write([1, 2, 3], on: world.channel) == 3)
                world.run()
                #expect(world.client.reports == before)
                let isOrderly = world.server.reports.last == .endOfStream
                #expect(isOrderly == !reset)
            }
        }

        @Test("P3: the next connection of one configuration resumes the session")
        func resumption() throws {
            let contexts = TLSContexts()
            let server = try TLSContext(TLSServerConfiguration.test())
            for isResumed in [false, true] {
                let world = try TLSWorld(contexts: contexts, serverContext: server)
                world.run()
                world.write([1], on: world.serverChannel)
                world.run()
                #expect(world.client.bytes == [1])
                #expect(world.serverIsResumed == isResumed)
                world.perform { world.channel?.abort(reset: true) }
            }
            #expect(try contexts.context(for: .test).tickets.count == 1)
        }

        @Test(
            "P3: a configuration that cannot be used is told in a later turn, unless nobody waits")
        func unusable() throws {
            let broken = TLSConfiguration.test { $0.trust = .certificates(pem: "") }
            let world = try TLSWorld(broken)
            #expect(world.client.reports.isEmpty)
            world.run()
            guard case .failed(let failure)? = world.client.reports.last else {
                Issue.record("\(world.client.reports)")
                return
            }
            #expect(failure.tls?.kind == .configuration)
            #expect(world.write([1, 2], on: world.channel) == 2)
            for end in [true, false] {
                let left = try TLSWorld(broken)
                left.perform {
                    left.channel?.setReading(false)
                    left.channel?.finishWriting()
                    if end { left.channel?.finish() } else { left.channel?.abort(reset: false) }
                }
                left.run()
                #expect(left.client.reports.isEmpty)
            }
        }
    }
#endif
