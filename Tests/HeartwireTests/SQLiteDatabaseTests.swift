import CSQLite
import Foundation
import HeartwireProtocol
import HeartwireSession
import Testing

@testable import Heartwire

extension SQLiteDatabase {
    /// What is stored, read.
    func everything() throws(OutboxStoreError) -> OutboxContents {
        var contents = try contents()
        contents.entries = try entries(DeliveryID.none...DeliveryID(UInt64(Int64.max)))
        #expect(contents.unread.map(\.id) == contents.entries.map(\.id))
        #expect(contents.unread.map(\.byteCount) == contents.entries.map(\.message.byteCount))
        contents.unread = []
        return contents
    }
}

@Suite struct SQLiteDatabaseTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func text(_ id: UInt64, _ text: String) -> OutboxEntry {
        OutboxEntry(id: DeliveryID(id), message: .text(text))
    }

    private func opening(_ path: String) -> OutboxStoreError.Kind? {
        do throws(OutboxStoreError) {
            _ = try SQLiteDatabase(path: path)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("D4: text and bytes come back as they went in, in the order of their ids")
    func roundTrip() throws {
        let entries = [
            text(1, ""), text(2, "grüße\u{0}🚀"),
            OutboxEntry(id: DeliveryID(3), message: .binary([])),
            OutboxEntry(id: DeliveryID(4), message: .binary([0, 255, 10])),
            OutboxEntry(
                id: DeliveryID(5), message: .binary([UInt8](repeating: 7, count: 100_000))),
        ]
        do {
            let database = try SQLiteDatabase(path: folder.file())
            #expect(try database.everything() == OutboxContents())
            try database.change(removing: [], adding: Array(entries.reversed()))
        }
        let contents = try SQLiteDatabase(path: folder.file()).everything()
        #expect(contents.entries == entries)
        #expect(contents.lastID == DeliveryID(5))
    }

    @Test("D4: what is added and removed in one change is gone, and what is older makes room first")
    func addedAndRemoved() throws {
        let database = try SQLiteDatabase(path: folder.file())
        try database.change(removing: [], adding: [text(1, "a")])
        try database.change(
            removing: [DeliveryID(1), DeliveryID(2)], adding: [text(2, "b"), text(3, "c")])
        #expect(try database.everything().entries == [text(3, "c")])
    }

    @Test(
        "D4: an id is used up for good, also when its message is gone and the file was opened anew")
    func lastID() throws {
        do {
            let database = try SQLiteDatabase(path: folder.file())
            try database.change(removing: [], adding: [text(7, "a"), text(8, "b")])
            try database.change(removing: [DeliveryID(7), DeliveryID(8)], adding: [])
        }
        let contents = try SQLiteDatabase(path: folder.file()).everything()
        #expect(contents.entries == [])
        #expect(contents.lastID == DeliveryID(8))
    }

    @Test("D4: the greatest id can be set forward and back, with and without entries")
    func setsLastID() throws {
        let database = try SQLiteDatabase(path: folder.file())
        try database.setLastID(DeliveryID(4_096))
        #expect(try database.everything().lastID == DeliveryID(4_096))
        try database.change(removing: [], adding: [text(7, "a")])
        #expect(try database.everything().lastID == DeliveryID(4_096))
        try database.setLastID(DeliveryID(7))
        #expect(try database.everything().lastID == DeliveryID(7))
        try database.change(removing: [], adding: [text(9, "b")])
        #expect(try database.everything().lastID == DeliveryID(9))
        #expect(try database.everything().entries == [text(7, "a"), text(9, "b")])
    }

    @Test("D4: a change that fails changes nothing, and the next one goes through")
    func atomic() throws {
        let database = try SQLiteDatabase(path: folder.file())
        try database.change(removing: [], adding: [text(1, "a")])
        #expect(throws: OutboxStoreError.self) {
            try database.change(
                removing: [DeliveryID(1)], adding: [self.text(2, "b"), self.text(2, "again")])
        }
        #expect(try database.everything().entries == [text(1, "a")])
        try database.change(removing: [DeliveryID(1)], adding: [text(2, "b")])
        #expect(try database.everything().entries == [text(2, "b")])
    }

    @Test(
        "D4: a file that cannot be made is an error at once",
        arguments: ["", ":memory:", "a\u{0}b"])
    func noName(path: String) {
        #expect(opening(path) == .cannotOpen)
    }

    @Test("D4: so are a folder that is not there and a folder in place of the file")
    func noFolder() {
        #expect(opening(folder.file("missing/outbox.db")) == .cannotOpen)
        #expect(opening(folder.path) == .cannotOpen)
    }

    @Test("D4: a file that is no database is left alone")
    func noDatabase() throws {
        let bytes = [UInt8]("This is a letter and not a database. ".utf8)
        let long = [UInt8]((0..<100).flatMap { _ in bytes })
        try folder.write(long, to: "letter.txt")
        #expect(opening(folder.file("letter.txt")) == .notAnOutbox)
        #expect(try folder.read("letter.txt") == long)
    }

    @Test("D4: a database of another program is left alone")
    func foreign() throws {
        let path = folder.file()
        do {
            let database = try SQLiteDatabase(path: path)
            try database.mark(application: 1, version: 1)
        }
        #expect(opening(path) == .notAnOutbox)
    }

    @Test("D4: an outbox of a newer version is left alone, and the error names the version")
    func newer() throws {
        let path = folder.file()
        do {
            let database = try SQLiteDatabase(path: path)
            try database.mark(application: SQLiteDatabase.applicationID, version: 2)
        }
        #expect(throws: OutboxStoreError(.newerVersion, code: 2)) {
            try SQLiteDatabase(path: path)
        }
    }

    @Test("D4: a damaged file is an error, not an empty outbox")
    func damaged() throws {
        do {
            let database = try SQLiteDatabase(path: folder.file())
            let body = String(repeating: "x", count: 500)
            try database.change(removing: [], adding: (1...100).map { text($0, body) })
        }
        var bytes = try folder.read("outbox.db")
        for index in 4_096..<bytes.count { bytes[index] = 0x5A }
        try folder.write(bytes, to: "outbox.db")
        #expect(throws: OutboxStoreError.self) {
            _ = try SQLiteDatabase(path: self.folder.file()).contents()
        }
        let error = #expect(throws: OutboxStoreError.self) {
            _ = try SQLiteDatabase(path: self.folder.file()).contents()
        }
        #expect(error?.kind == .corrupt)
    }

    @Test("D4: a file that is open elsewhere is locked, and free again when it is closed")
    func locked() throws {
        var database: SQLiteDatabase? = try SQLiteDatabase(path: folder.file())
        #expect(opening(folder.file()) == .locked)
        try database?.change(removing: [], adding: [text(1, "a")])
        database = nil
        #expect(opening(folder.file()) == nil)
    }

    @Test("D4: a file that may only be read is an error", .enabled(if: geteuid() != 0))
    func readOnly() throws {
        do { _ = try SQLiteDatabase(path: folder.file()) }
        chmod(folder.file(), 0o400)
        #expect(opening(folder.file()) == .readOnly)
    }

    @Test("D4: a full disk is an error, and what was stored before is still there")
    func full() throws {
        do {
            let database = try SQLiteDatabase(path: folder.file(), pageLimit: 8)
            try database.change(removing: [], adding: [text(1, "kept")])
            let error = #expect(throws: OutboxStoreError.self) {
                try database.change(
                    removing: [], adding: [self.text(2, String(repeating: "x", count: 100_000))])
            }
            #expect(error?.kind == .full)
            try database.change(removing: [], adding: [text(3, "fits")])
        }
        let contents = try SQLiteDatabase(path: folder.file()).everything()
        #expect(contents.entries == [text(1, "kept"), text(3, "fits")])
    }

    @Test(
        "D4: each of SQLite's codes has its class, whatever its extension",
        arguments: [
            (14, OutboxStoreError.Kind.cannotOpen), (3, .cannotOpen), (23, .cannotOpen),
            (26, .notAnOutbox), (11, .corrupt), (8, .readOnly), (5, .locked), (6, .locked),
            (13, .full), (10, .system), (1, .system), (5 | 2 << 8, .locked),
            (8 | 6 << 8, .readOnly),
        ] as [(Int32, OutboxStoreError.Kind)])
    func codes(code: Int32, kind: OutboxStoreError.Kind) {
        let error = OutboxStoreError(sqlite: code)
        #expect(error.kind == kind)
        #expect(error.code == code)
    }
}

extension SQLiteDatabase {
    /// Changes the marks in the file's header.
    fileprivate func mark(application: Int64, version: Int64) throws {
        #expect(sqlite3_exec(handle, "PRAGMA application_id = \(application)", nil, nil, nil) == 0)
        #expect(sqlite3_exec(handle, "PRAGMA user_version = \(version)", nil, nil, nil) == 0)
    }
}
