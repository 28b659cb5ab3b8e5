import Heartwire
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireTesting

/// A store in virtual time, and what it reported.
///
/// `@unchecked Sendable`: it is used in the virtual domain.
private final class Rig: @unchecked Sendable {
    let executor = VirtualExecutor()
    let disk = SimulationDisk()
    let dice: SimulationDice
    let alarms: SimulationAlarms
    let auditor: SimulationAuditor
    let audit: SimulationDeliveryAudit
    var reports: [OutboxStoreReport] = []
    /// The stores, which nobody else holds.
    private var stores: [SimulationStore] = []

    init(_ changes: [SimulationFault: Double] = [:]) {
        var faults = SimulationFaults.none
        for (fault, probability) in changes { faults[fault] = probability }
        dice = SimulationDice(seed: 1, faults: faults)
        alarms = SimulationAlarms(executor)
        auditor = SimulationAuditor(executor, trace: nil)
        audit = SimulationDeliveryAudit(auditor, confirmsReading: true)
    }

    func open(
        answersAtOnce: Bool = true, readsBack: Bool = false
    ) throws -> (SimulationStore, OutboxContents) {
        let store = SimulationStore(
            disk, dice: dice, alarms: alarms, audit: audit, answersAtOnce: answersAtOnce,
            readsBack: readsBack)
        stores.append(store)
        return (store, try store.open { [self] in reports.append($0) })
    }
}

private func entry(_ id: UInt64) -> OutboxEntry {
    OutboxEntry(id: DeliveryID(id), message: .text("\(id)"))
}

private func ids(_ numbers: UInt64...) -> [DeliveryID] { numbers.map(DeliveryID.init) }

@Suite("SimulationStore")
struct SimulationStoreTests {
    @Test("what is kept at once is there for the next owner, with the greatest id")
    func keeps() throws {
        let rig = Rig()
        try rig.executor.perform {
            let (store, contents) = try rig.open()
            #expect(contents == OutboxContents())
            #expect(store.append(entry(1)) && store.append(entry(2)))
            store.remove(ids(2))
            nonisolated(unsafe) var isClosed = false
            store.close { isClosed = true }
            #expect(isClosed)
            let next = try rig.open().1
            #expect(next.entries == [entry(1)] && next.lastID == DeliveryID(2))
        }
        #expect(rig.reports == [])
    }

    @Test("what is kept later is reported in order, in one commit")
    func later() throws {
        let rig = Rig([.slowStore: 1])
        let store = try rig.executor.perform { try rig.open().0 }
        rig.executor.perform {
            #expect(!store.append(entry(1)) && !store.append(entry(2)))
            #expect(rig.disk.ids == [])
        }
        rig.executor.advance(by: .seconds(3))
        #expect(rig.reports == [.stored(ids(1)), .stored(ids(2))])
        #expect(rig.disk.ids == ids(1, 2))
    }

    @Test("a store that fails says so and keeps nothing")
    func fails() throws {
        let rig = Rig([.failingStore: 1])
        let store = try rig.executor.perform { try rig.open().0 }
        rig.executor.perform { #expect(!store.append(entry(1))) }
        rig.executor.advance(by: .seconds(1))
        #expect(rig.reports == [.failed(ids(1), OutboxStoreError(.full))])
        #expect(rig.disk.ids == [])
    }

    @Test("nothing overtakes what still waits")
    func order() throws {
        let rig = Rig()
        let store = try rig.executor.perform { try rig.open(answersAtOnce: false).0 }
        rig.executor.perform {
            for id in UInt64(1)...5 { #expect(!store.append(entry(id))) }
            store.remove(ids(1))
        }
        rig.executor.advance(by: .seconds(1))
        #expect(rig.reports == (UInt64(1)...5).map { .stored(ids($0)) })
        #expect(rig.disk.ids == ids(2, 3, 4, 5))
    }

    @Test("D4: a kill keeps a beginning of what was asked, lets every caller go and ends all work")
    func dies() throws {
        var kept: Set<Int> = []
        let rig = Rig()
        for round in UInt64(0)..<40 {
            let store = try rig.executor.perform { try rig.open(answersAtOnce: false).0 }
            let first = round * 10 + 1
            rig.reports = []
            rig.executor.perform {
                for id in first..<first + 3 { #expect(!store.append(entry(id))) }
                store.die()
                // Whoever got the place of a caller that gave up waits for an answer, too.
                #expect(store.append(entry(first + 3)))
                store.remove(ids(first))
                store.close {}
            }
            let left = rig.disk.ids.filter { $0.number >= first }
            #expect(!left.contains(DeliveryID(first + 3)))
            #expect(left == (first..<first + UInt64(left.count)).map(DeliveryID.init))
            kept.insert(left.count)
            // What had reached the disk was not told of, so its callers wait as the others do.
            let callers = (first..<first + 3).map(DeliveryID.init)
            let expected = [OutboxStoreReport.failed(callers, OutboxStoreError(.notOpen))]
            #expect(rig.reports == expected)
            rig.executor.advance(by: .seconds(5))
            #expect(rig.reports == expected)
        }
        #expect(kept == [0, 1, 2, 3])
    }

    @Test("D3: what is forgotten is told to the audit at once")
    func settles() throws {
        let rig = Rig()
        try rig.executor.perform {
            let store = try rig.open().0
            _ = store.append(entry(1))
            rig.audit.promised(DeliveryID(1), .text("1"), isSessionBound: false)
            store.remove(ids(1))
        }
        #expect(rig.auditor.violations.map(\.rule) == [.earlyConfirmation])
    }

    @Test(
        "a store that reads back gives lengths first, and entries when it is asked, in their order")
    func readsBack() throws {
        let rig = Rig()
        let range = DeliveryID(2)...DeliveryID(12)
        try rig.executor.perform {
            let (store, _) = try rig.open()
            for id in [1, 2, 11, 13] as [UInt64] { _ = store.append(entry(id)) }
            store.close {}
            let (next, contents) = try rig.open(readsBack: true)
            #expect(next.readsBack && !store.readsBack)
            #expect(contents.entries == [])
            #expect(contents.unread.map(\.id) == ids(1, 2, 11, 13))
            #expect(contents.unread.map(\.byteCount) == [1, 1, 2, 2])
            next.read(range)
        }
        #expect(rig.reports == [])
        rig.executor.runToEnd()
        #expect(rig.reports == [.read(range, [entry(2), entry(11)])])
    }

    @Test("a read that fails says so, and one of a process that is gone says nothing")
    func unreadable() throws {
        let rig = Rig([.unreadableStore: 1])
        let range = DeliveryID(1)...DeliveryID(1)
        try rig.executor.perform {
            let (store, _) = try rig.open(readsBack: true)
            store.read(range)
        }
        #expect(rig.reports == [])
        rig.executor.runToEnd()
        #expect(rig.reports == [.unread(range, OutboxStoreError(.system))])
        try rig.executor.perform {
            let (store, _) = try rig.open(readsBack: true)
            store.read(range)
            store.die()
            store.read(range)
        }
        rig.executor.runToEnd()
        #expect(rig.reports.count == 1)
    }
}
