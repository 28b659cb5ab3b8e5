import Heartwire
import HeartwireSession

/// What survives a client: the messages that its store has kept.
final class SimulationDisk {
    fileprivate(set) var entries: [DeliveryID: OutboxEntry] = [:]
    fileprivate var lastID = DeliveryID.none

    /// What is kept now, in order.
    var ids: [DeliveryID] { entries.keys.sorted() }
}

/// One client's store over a disk that survives it. It answers at once or after a while, in order, sometimes
/// with a failure; a kill lets some of what it had not answered reach the disk, and some not.
///
/// `@unchecked Sendable`: it lives in its executor's domain, and is only handed through other places.
final class SimulationStore: OutboxStore, @unchecked Sendable {
    private enum Work {
        case keep(OutboxEntry, fails: Bool)
        case forget([DeliveryID])
        case read(ClosedRange<DeliveryID>, fails: Bool)
    }

    let disk: SimulationDisk
    let readsBack: Bool
    private let dice: SimulationDice
    private let alarms: SimulationAlarms
    private let audit: SimulationDeliveryAudit
    /// Whether it answers within the call where nothing is in the way.
    private let answersAtOnce: Bool
    private var report: (@Sendable (OutboxStoreReport) -> Void)?
    private var waiting: [Work] = []
    private var isDead = false

    init(
        _ disk: SimulationDisk, dice: SimulationDice, alarms: SimulationAlarms,
        audit: SimulationDeliveryAudit, answersAtOnce: Bool, readsBack: Bool = false
    ) {
        self.disk = disk
        self.readsBack = readsBack
        self.dice = dice
        self.alarms = alarms
        self.audit = audit
        self.answersAtOnce = answersAtOnce
    }

    func open(
        _ report: @escaping @Sendable (OutboxStoreReport) -> Void
    ) throws(OutboxStoreError) -> OutboxContents {
        self.report = report
        let entries = disk.ids.compactMap { disk.entries[$0] }
        guard readsBack else { return OutboxContents(entries: entries, lastID: disk.lastID) }
        return OutboxContents(
            unread: entries.map { UnreadEntry(id: $0.id, byteCount: $0.message.byteCount) },
            lastID: disk.lastID)
    }

    func append(_ entry: OutboxEntry) -> Bool {
        // A dead client's caller gets its answer, for it holds the client until then. Nothing is kept.
        guard !isDead else { return true }
        audit.tookIn(entry.id, entry.message, isSessionBound: false)
        let fails = dice.strikes(.failingStore)
        let isSlow = dice.strikes(.slowStore)
        if answersAtOnce, !fails, !isSlow, waiting.isEmpty {
            keep(entry)
            return true
        }
        let delay =
            isSlow
            ? dice.duration(of: .slowStore, .milliseconds(50) ... .seconds(2))
            : dice.duration(.store, .zero ... .milliseconds(20))
        enqueue(.keep(entry, fails: fails), after: delay)
        return false
    }

    func reserve(_ id: DeliveryID) {
        guard !isDead else { return }
        disk.lastID = max(disk.lastID, id)
    }

    func read(_ range: ClosedRange<DeliveryID>) {
        guard !isDead else { return }
        let fails = dice.strikes(.unreadableStore)
        enqueue(
            .read(range, fails: fails), after: dice.duration(.store, .zero ... .milliseconds(20)))
    }

    func remove(_ ids: [DeliveryID]) {
        guard !isDead else { return }
        for id in ids { audit.settled(id) }
        enqueue(.forget(ids), after: dice.duration(.store, .zero ... .milliseconds(20)))
    }

    func close(_ done: @escaping @Sendable () -> Void) {
        if !isDead { work(upTo: waiting.count) }
        report = nil
        done()
    }

    /// The process is gone: what it had asked for is done up to some point, and it is told of none of it.
    func die() {
        let abandoned = waiting.compactMap { work in
            if case .keep(let entry, _) = work { entry.id } else { nil }
        }
        work(upTo: dice.number(.store, 0...waiting.count), tells: false)
        isDead = true
        waiting = []
        // The dead client's callers are let go, for they hold it.
        if !abandoned.isEmpty { report?(.failed(abandoned, OutboxStoreError(.notOpen))) }
        report = nil
    }

    private func keep(_ entry: OutboxEntry) {
        disk.entries[entry.id] = entry
        disk.lastID = max(disk.lastID, entry.id)
    }

    private func enqueue(_ work: Work, after delay: Duration) {
        waiting.append(work)
        // What waits when the alarm rings goes in one commit.
        alarms.after(delay) { [weak self] in
            guard let self, !self.isDead else { return }
            self.work(upTo: self.waiting.count)
        }
    }

    private func work(upTo end: Int, tells: Bool = true) {
        let batch = waiting.prefix(end)
        waiting.removeFirst(end)
        for work in batch {
            switch work {
            case .keep(let entry, false):
                keep(entry)
                guard tells else { continue }
                report?(.stored([entry.id]))
            case .keep(let entry, true):
                if tells { report?(.failed([entry.id], OutboxStoreError(.full))) }
            case .forget(let ids):
                for id in ids { disk.entries[id] = nil }
            case .read(let range, let fails):
                guard tells else { continue }
                let entries = disk.ids.filter(range.contains).compactMap { disk.entries[$0] }
                report?(fails ? .unread(range, OutboxStoreError(.system)) : .read(range, entries))
            }
        }
    }
}
