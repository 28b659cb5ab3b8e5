import HeartwireSession
import Testing

@testable import Heartwire

@Suite struct OutboxStoreTests {
    @Test("D4: a store is empty unless it says otherwise")
    func contents() {
        #expect(OutboxContents().entries == [])
        #expect(OutboxContents().unread == [])
        #expect(OutboxContents().lastID == .none)
    }

    @Test("D4: each failure has its own words, with the number that goes with it")
    func words() {
        let words = OutboxStoreError.Kind.allCases.map { "\(OutboxStoreError($0))" }
        #expect(Set(words).count == OutboxStoreError.Kind.allCases.count)
        #expect(!words.contains { $0.contains("(") })
        #expect(
            "\(OutboxStoreError(.full, code: 13))"
                == "there is no space left for the outbox (SQLite 13)")
        #expect(
            "\(OutboxStoreError(.newerVersion, code: 2))"
                == "a newer version wrote the outbox (version 2)")
    }

    @Test("D4: kinds have names that a log can carry")
    func names() {
        #expect(
            OutboxStoreError.Kind.allCases.map(\.rawValue) == [
                "cannot-open", "not-an-outbox", "corrupt", "read-only", "locked", "full",
                "newer-version", "not-open", "system",
            ])
    }

    @Test("D4: a failure that lasts is told from one that may pass")
    func lasting() {
        let lasting = OutboxStoreError.Kind.allCases.filter { OutboxStoreError($0).isLasting }
        #expect(lasting == [.notAnOutbox, .corrupt, .newerVersion, .notOpen])
    }
}
