import HeartwireProtocol
import HeartwireSession
import HeartwireSocket
import HeartwireTesting
import Testing

@Suite("Transport conformance", .timeLimit(.minutes(10)))
struct TransportConformanceTests {
    @Test("T1, T4, T5: the simulator's transport conforms, however its reads are cut")
    func simulated() throws {
        for readSize in [VirtualNetwork.defaultReadSize, 1_021] {
            let place = VirtualPlace()
            place.network.readSize = readSize
            let report = try place.run()
            #expect(report.faults.isEmpty, "\(report)")
            #expect(report.findings.map(\.case) == TransportConformance.Case.allCases)
        }
    }

    @Test("T1, T4: read byte by byte, all but the longest messages conform")
    func bytewise() throws {
        let place = VirtualPlace()
        place.network.readSize = 1
        let slow: Set<TransportConformance.Case> = [.longMessages, .backPressureOut, .sizes]
        let report = try place.run(
            cases: TransportConformance.Case.allCases.filter { !slow.contains($0) })
        #expect(report.faults.isEmpty, "\(report)")
    }

    @Test("T1, T4, T5: the socket transport conforms over TCP (real time)")
    func overTCP() async throws {
        let loop = EventLoop(name: "conformance")
        let server = EventLoop(name: "conformance")
        let endpoint = Endpoint(executor: server, random: SeededRandomSource(seed: 1))
        let listener = try TCPListener.listen(on: server) { channel in
            endpoint.accept(channel)
            channel.start()
        }
        let report = await TransportConformance.run(
            SocketTransportFactory(loop: loop),
            against: try TransportPeer(
                endpoint: WebSocketURL("ws://127.0.0.1:\(listener.port)/")))
        #expect(report.faults.isEmpty, "\(report)")
        server.execute {
            listener.close()
            endpoint.dropAll()
            server.shutdown()
        }
        loop.shutdown()
    }

    @Test("each case has its sentence and its promises, and no two are alike")
    func cases() {
        let cases = TransportConformance.Case.allCases
        #expect(Set(cases.map(\.sentence)).count == cases.count)
        #expect(cases.allSatisfy { !$0.promises.isEmpty })
    }

    @Test("an exclusion is told with what was seen, and one that holds is a fault")
    func exclusions() throws {
        let report = try VirtualPlace().run(
            excluding: [
                .refusedPort: "known", .opening: "no longer so",
                .subprotocol: .unsteady("now and then"),
            ],
            cases: [.opening, .refusedPort, .subprotocol],
            wrap: { FaultyFactory($0, fault: .secondEnd) })
        #expect(report.findings.map(\.case) == [.opening, .refusedPort, .subprotocol])
        #expect(report.findings[0].verdict == .mended(reason: "no longer so"))
        guard case .excluded("known", let seen) = report.findings[1].verdict else {
            Issue.record("\(report)")
            return
        }
        #expect(seen.contains("after the end"))
        #expect(report.findings[2].verdict == .held)
        #expect(report.faults.map(\.case) == [.opening])
        let lines = report.description.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("MENDED    opening: "))
        #expect(lines[1].hasPrefix("excluded  refused-port: known ("))
        #expect(lines[2].hasPrefix("held      subprotocol: "))
    }

    @Test(
        "T1: each fault of a transport is found by the case that is there for it",
        arguments: FaultyFactory.Fault.allCases)
    func found(_ fault: FaultyFactory.Fault) throws {
        let report = try VirtualPlace().run(
            cases: fault.cases, wrap: { FaultyFactory($0, fault: fault) })
        #expect(report.findings.map(\.case) == fault.cases)
        for finding in report.findings {
            guard case .failed(let seen) = finding.verdict else {
                Issue.record("\(fault): \(finding)")
                continue
            }
            #expect(seen.contains(fault.words), "\(fault)")
        }
    }

    @Test("a run that is cancelled gives up what is left")
    func cancelled() async throws {
        let loop = EventLoop(name: "conformance")
        let peer = try TransportPeer(endpoint: WebSocketURL("ws://127.0.0.1:1/"))
        let running = Task {
            await TransportConformance.run(SocketTransportFactory(loop: loop), against: peer)
        }
        running.cancel()
        let report = await running.value
        #expect(report.findings.count == TransportConformance.Case.allCases.count)
        #expect(!report.faults.isEmpty)
        loop.shutdown()
    }
}

/// An endpoint on a virtual network, and its simulated transports.
private struct VirtualPlace {
    let executor = VirtualExecutor()
    let network: VirtualNetwork

    init() {
        network = VirtualNetwork(executor: executor)
        let endpoint = executor.perform {
            [executor] in Endpoint(executor: executor, random: SeededRandomSource(seed: 1))
        }
        network.listen(port: 80) { endpoint.accept($0) }
    }

    func run(
        excluding exclusions: [TransportConformance.Case: TransportConformance.Exclusion] = [:],
        cases: [TransportConformance.Case] = TransportConformance.Case.allCases,
        wrap: (any TransportFactory) -> any TransportFactory = { $0 }
    ) throws -> TransportConformanceReport {
        let factory = wrap(
            SocketTransportFactory(connector: network, random: { SeededRandomSource(seed: 2) }))
        let peer = try TransportPeer(
            endpoint: WebSocketURL("ws://endpoint.test/"),
            refusing: WebSocketURL("ws://endpoint.test:1/"))
        return try executor.runScript {
            await TransportConformance.run(
                factory, against: peer, excluding: exclusions, cases: cases)
        }
    }
}
