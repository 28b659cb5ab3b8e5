#if os(Linux)
    import Heartwire
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    @Suite("A client by TLS, in virtual time")
    struct TLSClientTests {
        @Test("P3: messages go over wss as they do over ws")
        func echo() throws {
            let world = try TLSClientWorld()
            let client = try world.client()
            let large = Message.binary([UInt8](repeating: 5, count: 1 << 20))
            let echoed = try world.executor.runScript {
                var iterator = client.messages.makeAsyncIterator()
                await client.connect()
                try await client.waitUntilOpen()
                try await client.send(.text("hello"))
                try await client.send(large)
                let echoed = [await iterator.next(), await iterator.next()]
                await client.disconnect()
                return echoed
            }
            let isEqual = echoed == [.text("hello"), large]
            #expect(isEqual)
            #expect(world.endpoint.counters.closed == 1)
        }

        @Test("P4: a part of a record is no progress of the frame that stands still")
        func stalledFrame() throws {
            let world = try TLSClientWorld()
            let client = try world.client {
                $0.reconnect = nil
                $0.heartbeat = nil
                $0.limits.frameStall = .seconds(30)
            }
            try world.executor.runScript {
                await client.connect()
                try await client.waitUntilOpen()
            }
            let begun = world.milliseconds
            let beginning =
                [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 20_000)
            world.executor.perform {
                let channel = world.accepted[0]
                #expect(beginning.withUnsafeBytes { channel.write($0) } == beginning.count)
                let later = world.executor.now().advanced(by: .seconds(20))
                _ = world.executor.schedule(at: later) {
                    let part: [UInt8] = [0x17, 3, 3, 0x40, 0x11, 1, 2, 3]
                    _ = part.withUnsafeBytes { channel.base?.write($0) }
                }
            }
            let cause = try world.executor.runScript { await client.stopCause() }
            guard case .protocolViolation(let violation)? = cause else {
                Issue.record("\(String(describing: cause))")
                return
            }
            #expect(violation.closeCode == .policyViolation)
            #expect(world.milliseconds - begun == 30_000)
        }

        @Test(
            "K08-01: each fault of a certificate ends the session with its own reason, before any request",
            arguments: [
                (Certificates.selfSigned, "a.test", TLSFailure.Kind.untrusted),
                (Certificates.signed(["DNS:other.test"]), "a.test", .nameMismatch),
                (Certificates.expired, "a.test", .expired),
                (Certificates.early, "a.test", .notYetValid),
                (Certificates.commonNameOnly, "a.test", .nameMismatch),
                (Certificates.good, "127.0.0.2", .nameMismatch),
            ])
        func faults(identity: TLSIdentity, host: String, kind: TLSFailure.Kind) throws {
            let world = try TLSClientWorld(.test(identity))
            let client = try world.client(host: host)
            let stopped = try world.executor.runScript {
                await client.connect()
                var causes: [StopCause] = []
                for await state in client.states {
                    if case .stopped(let cause) = state {
                        causes.append(cause)
                        break
                    }
                }
                return causes
            }
            guard case .refusedToRetry(.connectFailed(let failure))? = stopped.first else {
                Issue.record("\(stopped)")
                return
            }
            #expect(failure.tls?.kind == kind)
            #expect(world.network.attempts == 1)
            #expect(world.endpoint.counters.opened == 0)
            #expect(world.endpoint.counters.refused == 0)
        }

        @Test("K08-04: a server that takes h2 gets no byte of HTTP/1.1")
        func otherProtocol() throws {
            for alpn in [TLSServerConfiguration.ALPN.forceH2, .refuse] {
                let world = try TLSClientWorld(.test { $0.alpn = alpn })
                let cause = try world.cause()
                #expect(cause == .connectFailed(ConnectionFailure(.applicationProtocol)))
                #expect(world.endpoint.counters.opened == 0)
            }
            let plain = try TLSClientWorld(.test { $0.alpn = .ignore })
            #expect(try plain.cause("/?close=1000")?.kind == .closedByPeer)
        }

        @Test("K08-05: after a closing handshake a missing close_notify is nothing to report")
        func uncleanAfterClose() throws {
            let world = try TLSClientWorld(isClean: false)
            let cause = try world.cause("/?close=1000:bye")
            #expect(cause == .closedByPeer(PeerClose(code: 1000, reason: "bye")))
            #expect(world.executor.runToEnd())
        }

        @Test("K08-05: without a closing handshake a missing close_notify is an unclean end")
        func unclean() throws {
            let world = try TLSClientWorld(isClean: false)
            let cause = try world.cause("/?drop=fin@5")
            #expect(cause == .connectionLost(ConnectionFailure(.truncated)))
            #expect("\(try #require(cause))".contains("TLS truncated"))
            let clean = try TLSClientWorld()
            #expect(
                try clean.cause("/?drop=fin@5") == .connectionLost(ConnectionFailure(.endOfStream)))
        }

        @Test("K08-05: an end within a frame is unclean, and no part of the message is handed out")
        func cutFrame() throws {
            let world = try TLSClientWorld(isClean: false)
            let client = try world.client { $0.reconnect = nil }
            let endpoint = world.endpoint
            let (messages, cause) = try world.executor.runScript {
                await client.connect()
                try await client.waitUntilOpen()
                let connection = endpoint.connections[0]
                connection.send(raw: [0x82, 0x05, 1, 2])
                connection.drop(.fin)
                var messages: [Message] = []
                for await message in client.messages { messages.append(message) }
                return (messages, await client.stopCause())
            }
            #expect(messages.isEmpty)
            #expect(cause == .connectionLost(ConnectionFailure(.truncated)))
        }

        @Test("R3: a refusal whose stream ends without close_notify is still a refusal")
        func uncleanRefusal() throws {
            let world = try TLSClientWorld(isClean: false)
            guard case .refused(let refusal)? = try world.cause("/?refuse=403") else {
                Issue.record("no refusal")
                return
            }
            #expect(refusal.status == 403)
        }

        @Test(
            "K05-10: a server that never shakes hands is given up at the deadline, in the phase of TLS"
        )
        func stalledHandshake() throws {
            let world = try TLSClientWorld(isSilent: true)
            let cause = try world.cause { $0.connectTimeout = .seconds(10) }
            #expect(cause == .connectTimeout(.tls))
            #expect(world.milliseconds == 10_000)
        }

        @Test("K05-10: silence behind TLS ends at the same deadline, in the phase of the upgrade")
        func silenceBehindTLS() throws {
            let world = try TLSClientWorld()
            let cause = try world.cause("/?refuse=silence") { $0.connectTimeout = .seconds(10) }
            #expect(cause == .connectTimeout(.upgrade))
            #expect(world.milliseconds == 10_000)
            #expect(world.accepted.count == 1)
        }

        @Test("K05-10: disconnect() ends an attempt that waits behind TLS at once")
        func cancelBehindTLS() throws {
            let world = try TLSClientWorld()
            let client = try world.client("/?refuse=silence") { $0.connectTimeout = .seconds(10) }
            let executor = world.executor
            try world.executor.runScript {
                await client.connect()
                let alarm = ClientLog(executor: executor)
                _ = await alarm.wait(.seconds(3)) { _ in false }
                await client.disconnect()
            }
            #expect(world.milliseconds == 3_000)
        }

        @Test("P3: a pin that fits none of the server's keys ends the session")
        func pins() throws {
            let world = try TLSClientWorld()
            let stranger = try Certificates.selfSigned.fingerprint().pin
            let cause = try world.cause { $0.tls.pins = [stranger] }
            #expect(cause == .connectFailed(ConnectionFailure(.pinMismatch)))
            let own = try Certificates.good.fingerprint().pin
            #expect(try world.cause("/?close=1000") { $0.tls.pins = [own] }?.kind == .closedByPeer)
            #expect(world.endpoint.counters.opened == 1)
        }

        @Test("P3: a client without the certificate that is asked for is turned away with an alert")
        func clientCertificate() throws {
            let world = try TLSClientWorld(
                .test { $0.clientAuthorities = Certificates.authorityPEM })
            guard case .connectFailed(let failure)? = try world.cause() else {
                Issue.record("it was let in")
                return
            }
            #expect(failure.tls?.kind == .alert)
            let shown = try world.cause("/?close=1000") { $0.tls.identity = Certificates.client }
            #expect(shown?.kind == .closedByPeer)
        }

        @Test("P3: a client that connects again resumes its session")
        func resumption() throws {
            let world = try TLSClientWorld()
            world.endpoint.script = .sequence([EndpointBehaviour()], then: .byQuery)
            let client = try world.client()
            let endpoint = world.endpoint
            try world.executor.runScript {
                await client.connect()
                try await client.waitUntilOpen()
                endpoint.connections[0].drop(.rst)
                for await state in client.states {
                    if case .open = state, endpoint.counters.opened == 2 { break }
                }
            }
            #expect(world.accepted.count == 2)
            #expect(world.accepted.last?.isResumed == true)
        }

        @Test("R4: a provider's request gets the client's TLS unless it has its own")
        func provider() throws {
            let world = try TLSClientWorld()
            let stranger = try Certificates.selfSigned.fingerprint().pin
            for own in [nil, TLSConfiguration.test] {
                let cause = try world.cause {
                    $0.tls.pins = [stranger]
                    $0.request = { attempt in
                        let url = try WebSocketURL("wss://a.test/?close=1000")
                        var request = try ConnectionRequest(url: url)
                        request.tls = own
                        return request
                    }
                }
                #expect(cause?.kind == (own == nil ? .connectFailed : .closedByPeer))
            }
        }

        @Test("P3: certificates that cannot be read are told when the client is made")
        func unusable() throws {
            let world = try TLSClientWorld()
            #expect(throws: TLSFailure.self) {
                _ = try world.client { $0.tls.trust = .certificates(pem: "nothing") }
            }
            // What a provider brings is told as the cause.
            let cause = try world.cause {
                $0.request = { attempt in
                    var request = try ConnectionRequest(url: attempt.url)
                    request.tls = .test { $0.trust = .certificates(pem: "nothing") }
                    return request
                }
            }
            guard case .connectFailed(let failure)? = cause else {
                Issue.record("\(String(describing: cause))")
                return
            }
            #expect(failure.tls?.kind == .configuration)
        }
    }
#endif
