import Heartwire
import Testing

@testable import HeartwireCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

private func load(_ words: String...) throws -> DeliverLoad {
    guard
        case .bench(.deliver(let load)) = try CommandRequest(
            arguments: ["bench", "deliver"] + words)
    else { throw UsageError("no request to measure delivery") }
    return load
}

@Suite("Measuring delivery")
struct DeliverBenchTests {
    @Test("D2: every way delivers every message, and the disk sees its transactions")
    func everyWay() async throws {
        let pipe = TestPipe()
        let end = await DeliverBench.run(
            try load("--count", "300", "--group", "50"), output: pipe.writer)
        #expect(end == .done)
        let lines = pipe.finish().split(separator: "\n")
        #expect(lines.first == "Messages of 64 bytes; in bulk 50 to a call.")
        let names = lines.dropFirst(2).compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(names == DeliverWay.allCases.map(\.rawValue))
        #expect(Set(lines.dropFirst().map(\.count)).count == 1)
    }

    @Test("A report for programs has the same figures")
    func json() async throws {
        let pipe = TestPipe()
        let end = await DeliverBench.run(
            try load("--count", "20", "--format", "json"), ways: [.memoryBulk], output: pipe.writer)
        #expect(end == .done)
        let text = pipe.finish()
        #expect(
            text.hasPrefix(
                "{\"version\":1,\"size\":64,\"group\":1000,\"ways\":[{\"way\":\"memory-bulk\",\"messages\":20,"
            ))
        #expect(text.hasSuffix("\"commits\":0}]}\n"))
    }

    @Test("Rates and processor time are those of the figures, and a wait of no time has no rate")
    func figures() throws {
        var row = DeliverFigures(
            way: .sqliteBulk, count: 1_000, storedSeconds: 0.5, seconds: 1, cpuSeconds: 0.004,
            loopSeconds: 0.002, sinkSeconds: 0.0005, commits: 7)
        #expect(row.storedPerSecond == 2_000)
        #expect(row.confirmedPerSecond == 1_000)
        #expect(row.cpuNanoseconds == 4_000)
        #expect(row.loopNanoseconds == 2_000)
        #expect(row.sinkNanoseconds == 500)
        #expect(row.restNanoseconds == 1_500)
        let text = DeliverComparison(load: try load(), rows: [row]).text
        #expect(
            text.contains("  2,000        1,000         4.00    2.00      0.50   1.50        7"))
        row = DeliverFigures(
            way: .send, count: 1, storedSeconds: 0, seconds: 0, cpuSeconds: 0, loopSeconds: 0,
            sinkSeconds: 1, commits: nil)
        #expect(row.storedPerSecond == 0)
        #expect(row.restNanoseconds == 0)
    }

    @Test("Where no file can be made, that is said and nothing is measured")
    func noFolder() async throws {
        let pipe = TestPipe()
        let end = await DeliverBench.run(
            try load("--count", "1", "--folder", "/nowhere"), ways: [.sqliteBulk],
            output: pipe.writer)
        guard case .failed(let line, _) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(line.contains("cannot be opened"))
        #expect(pipe.finish().isEmpty)
    }

    @Test("Only what waits for the disk each time is measured with less")
    func counts() throws {
        let load = try load("--count", "1000")
        for way in DeliverWay.allCases {
            #expect(way.count(of: load) == (way == .sqliteSingle ? 10 : 1_000))
        }
        #expect(DeliverWay.sqliteSingle.count(of: try self.loadOfOne()) == 1)
    }

    private func loadOfOne() throws -> DeliverLoad { try load("--count", "1") }

    @Test("A file for a measurement goes with its object")
    func store() {
        var store: BenchStore? = BenchStore(in: "/tmp")
        #expect(store?.bytes == 0)
        store = nil
    }
}

@Suite("Measuring what waits")
struct HoldBenchTests {
    @Test("D4: messages that wait are held by either store, and a line tells what they take")
    func hold() async throws {
        for store in HoldLoad.Store.allCases {
            guard
                case .bench(.hold(let load)) = try CommandRequest(
                    arguments: ["bench", "hold", "--count", "2500", "--store", store.rawValue])
            else { throw UsageError("no request to measure what waits") }
            #expect(load.store == store)
            let pipe = TestPipe()
            #expect(await HoldBench.run(load, output: pipe.writer) == .done)
            let lines = pipe.finish().split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.last?.hasPrefix("\(store.rawValue)") == true)
            #expect(lines.last?.contains(" 2,500 ") == true)
        }
    }

    @Test("What a message takes is the growth by the count, and never less than nothing")
    func figures() throws {
        guard
            case .bench(.hold(let load)) = try CommandRequest(
                arguments: ["bench", "hold", "--count", "10", "--format", "json"])
        else { throw UsageError("no request to measure what waits") }
        let figures = HoldFigures(load: load, before: 1_000, after: 3_000, file: 4_096)
        #expect(figures.bytesEach == 200)
        #expect(figures.text.contains("\"resident_each\":200,\"file\":4096}"))
        #expect(HoldFigures(load: load, before: 10, after: 5, file: 0).bytesEach == 0)
    }

    @Test("This process holds some memory")
    func resident() {
        #expect(ProcessMemory.residentBytes > 1 << 20)
    }

    @Test(
        "What is for other modes, or out of bounds, is refused",
        arguments: [
            ["deliver", "9"], ["hold", "9"], ["deliver", "--store", "memory"],
            ["deliver", "--count", "0"], ["deliver", "--group", "100001"],
            ["hold", "--store", "x"],
            ["server", "9", "--count", "1"], ["deliver", "--size", "1048577"],
            ["server", "9", "--consumer", "pool"], ["deliver", "--consumer", "pool"],
            ["client", "9", "64", "1", "b", "1", "--consumer", "moon"],
            ["client", "9", "64", "1", "b", "1", "--count", "1"],
        ])
    func refused(_ words: [String]) {
        #expect(throws: UsageError.self) { try CommandRequest(arguments: ["bench"] + words) }
    }
}

@Suite("Measuring how an outbox grows")
struct GrowBenchTests {
    @Test("Each size has a line, and each operation a column")
    func table() async throws {
        guard
            case .bench(.grow(let load)) = try CommandRequest(
                arguments: ["bench", "grow", "--count", "1000"])
        else { throw UsageError("no request to measure growth") }
        let pipe = TestPipe()
        #expect(await GrowBench.run(load, output: pipe.writer) == .done)
        let lines = pipe.finish().split(separator: "\n")
        #expect(lines.count == 4)
        for operation in GrowBench.Operation.allCases {
            #expect(lines[0].contains(operation.rawValue))
        }
        #expect(lines[3].hasPrefix("1,000 "))
        #expect(GrowBench.sizes(upTo: 1) == [10])
        #expect(GrowBench.sizes(upTo: 999) == [10, 100])
    }

    @Test("A report for programs names the operations once, and each size has as many figures")
    func json() async throws {
        guard
            case .bench(.grow(let load)) = try CommandRequest(
                arguments: ["bench", "grow", "--count", "100", "--format", "json"])
        else { throw UsageError("no request to measure growth") }
        let pipe = TestPipe()
        #expect(await GrowBench.run(load, output: pipe.writer) == .done)
        let line = pipe.finish()
        #expect(
            line.hasPrefix(
                "{\"version\":1,\"operations\":[\"deliver\",\"drop\",\"acknowledge\",\"expire\","
                    + "\"reconnect\"],\"sizes\":[{\"entries\":10,\"nanoseconds\":["))
        let row = GrowFigures(size: 7, nanoseconds: [1, 2, 3, 4, 5])
        #expect(
            GrowFigures.text([row], .json).hasSuffix(
                "\"sizes\":[{\"entries\":7,\"nanoseconds\":[1,2,3,4,5]}]}\n"))
    }
}

@Suite("Tables for people")
struct TextTableTests {
    @Test(
        "Columns are as wide as their widest cell; the first begins and the others end at their edge"
    )
    func columns() {
        let text = TextTable.text(["way", "n"], [["a", "1,000"], ["longer", "2"]])
        #expect(text == "way         n\na       1,000\nlonger      2\n")
        #expect(TextTable.text(["a"], []) == "a\n")
    }
}
