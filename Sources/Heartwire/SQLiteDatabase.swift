import CSQLite
import HeartwireProtocol
import HeartwireSession

/// The one file of an outbox, as far as SQLite is concerned. Confined to whoever holds it.
///
/// Theory of operation. The file is locked for as long as it is open (`locking_mode=EXCLUSIVE`), so another
/// owner is refused at once. Every transaction is in the write-ahead log and on the disk when `COMMIT` returns
/// (`journal_mode=WAL`, `synchronous=FULL`). Two marks in the file's header tell that it is an outbox and of which
/// version, so that no foreign database is touched.
final class SQLiteDatabase {
    /// `HWOB` in ASCII, the `application_id` of the file.
    static let applicationID: Int64 = 0x4857_4F42
    /// The version of the tables, the file's `user_version`.
    static let version: Int64 = 1

    let handle: OpaquePointer
    private let insertion: OpaquePointer
    private let deletion: OpaquePointer
    private let selection: OpaquePointer

    /// Opens the file, or makes it, and locks it.
    ///
    /// - Parameter pageLimit: The pages that the file may have at most; the disk decides when `nil`.
    init(path: String, pageLimit: Int? = nil) throws(OutboxStoreError) {
        // SQLite takes an empty name and `:memory:` for databases that vanish.
        guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
            throw OutboxStoreError(.cannotOpen)
        }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else { throw OutboxStoreError(.cannotOpen, code: status) }
        do throws(OutboxStoreError) {
            guard status == SQLITE_OK else {
                throw OutboxStoreError(sqlite: sqlite3_extended_errcode(opened))
            }
            try Self.prepareFile(opened, pageLimit)
            (insertion, deletion, selection) = try Self.statements(opened)
        } catch {
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_finalize(deletion)
        sqlite3_finalize(selection)
        sqlite3_close_v2(handle)
    }

    // MARK: Contents

    /// What is stored, without its contents, and the greatest id that ever was.
    func contents() throws(OutboxStoreError) -> OutboxContents {
        // SQLite tells the length of what it has not read.
        let query = try Self.prepare(handle, "SELECT id, length(body) FROM entries ORDER BY id")
        defer { sqlite3_finalize(query) }
        var contents = OutboxContents()
        try Self.eachRow(query) { row in
            contents.unread.append(
                UnreadEntry(id: Self.id(row), byteCount: Int(sqlite3_column_int64(row, 1))))
        }
        let last = try Self.number(
            handle, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'entries'")
        contents.lastID = DeliveryID(UInt64(bitPattern: last))
        return contents
    }

    /// What is stored of a range, in the order of the ids.
    func entries(_ range: ClosedRange<DeliveryID>) throws(OutboxStoreError) -> [OutboxEntry] {
        defer { sqlite3_reset(selection) }
        sqlite3_bind_int64(selection, 1, Int64(bitPattern: range.lowerBound.number))
        sqlite3_bind_int64(selection, 2, Int64(bitPattern: range.upperBound.number))
        var entries: [OutboxEntry] = []
        try Self.eachRow(selection) { row in
            entries.append(OutboxEntry(id: Self.id(row), message: Self.message(row)))
        }
        return entries
    }

    private static func eachRow(
        _ query: OpaquePointer, _ body: (OpaquePointer) -> Void
    ) throws(OutboxStoreError) {
        while true {
            let status = sqlite3_step(query)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw OutboxStoreError(sqlite: status) }
            body(query)
        }
    }

    private static func id(_ row: OpaquePointer) -> DeliveryID {
        DeliveryID(UInt64(bitPattern: sqlite3_column_int64(row, 0)))
    }

    private static func message(_ row: OpaquePointer) -> Message {
        // The blob before its length, as SQLite wants it.
        let start = sqlite3_column_blob(row, 2)
        let count = Int(sqlite3_column_bytes(row, 2))
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        guard sqlite3_column_int64(row, 1) != 0 else { return .binary([UInt8](bytes)) }
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    /// Removes and adds in one transaction, older entries first, so that there is room for newer ones. An entry that
    /// is in both is gone afterwards. When this throws, nothing has changed.
    func change(
        removing ids: [DeliveryID], adding entries: [OutboxEntry]
    ) throws(OutboxStoreError) {
        try Self.run(handle, "BEGIN IMMEDIATE")
        do throws(OutboxStoreError) {
            let added = Set(entries.map(\.id))
            for id in ids where !added.contains(id) { try delete(id) }
            for entry in entries { try insert(entry) }
            for id in ids where added.contains(id) { try delete(id) }
            try Self.run(handle, "COMMIT")
        } catch {
            // Some failures have rolled back already; then there is nothing to roll back.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// Has the file say that `id` is the greatest that was ever used. When this throws, nothing has changed.
    func setLastID(_ id: DeliveryID) throws(OutboxStoreError) {
        do throws(OutboxStoreError) {
            try Self.run(
                handle,
                """
                BEGIN IMMEDIATE;
                DELETE FROM sqlite_sequence WHERE name = 'entries';
                INSERT INTO sqlite_sequence VALUES ('entries', \(Int64(bitPattern: id.number)));
                COMMIT
                """)
        } catch {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    private func delete(_ id: DeliveryID) throws(OutboxStoreError) {
        sqlite3_bind_int64(deletion, 1, Int64(bitPattern: id.number))
        let status = run(deletion)
        guard status == SQLITE_OK else { throw OutboxStoreError(sqlite: status) }
    }

    private func insert(_ entry: OutboxEntry) throws(OutboxStoreError) {
        sqlite3_bind_int64(insertion, 1, Int64(bitPattern: entry.id.number))
        let status: Int32
        switch entry.message {
        case .text(var text):
            sqlite3_bind_int64(insertion, 2, 1)
            status = text.withUTF8 { insert(UnsafeRawBufferPointer($0)) }
        case .binary(let bytes):
            sqlite3_bind_int64(insertion, 2, 0)
            status = bytes.withUnsafeBytes { insert($0) }
        }
        guard status == SQLITE_OK else { throw OutboxStoreError(sqlite: status) }
    }

    /// The bytes need to hold only until the step is through, so SQLite makes no copy.
    private func insert(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        let status =
            bytes.isEmpty
            ? sqlite3_bind_zeroblob(insertion, 3, 0)
            : sqlite3_bind_blob64(insertion, 3, bytes.baseAddress, UInt64(bytes.count), nil)
        guard status == SQLITE_OK else { return status }
        defer { sqlite3_clear_bindings(insertion) }
        return run(insertion)
    }

    /// Runs a statement that gives no rows, and makes it ready for the next time.
    private func run(_ statement: OpaquePointer) -> Int32 {
        let status = sqlite3_step(statement)
        sqlite3_reset(statement)
        return status == SQLITE_DONE ? SQLITE_OK : status
    }

}

// The file and its statements.
extension SQLiteDatabase {
    private static func prepareFile(
        _ handle: OpaquePointer, _ pageLimit: Int?
    ) throws(OutboxStoreError) {
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 0)
        // SQLite opens a file that it may not write for reading only, without a word.
        guard sqlite3_db_readonly(handle, "main") == 0 else { throw OutboxStoreError(.readOnly) }
        try run(handle, "PRAGMA locking_mode = EXCLUSIVE")
        let isNew = try number(handle, "SELECT count(*) FROM sqlite_master") == 0
        if !isNew { try checkMarks(handle) }
        guard try text(handle, "PRAGMA journal_mode = WAL") == "wal" else {
            throw OutboxStoreError(.system)
        }
        try run(handle, "PRAGMA synchronous = FULL")
        try run(handle, "BEGIN IMMEDIATE")
        if isNew {
            try run(handle, "PRAGMA application_id = \(applicationID)")
            try run(handle, "PRAGMA user_version = \(version)")
            // AUTOINCREMENT remembers the greatest id ever used, also when its row is gone.
            try run(
                handle,
                """
                CREATE TABLE entries (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    is_text INTEGER NOT NULL,
                    body BLOB NOT NULL)
                """)
        }
        try run(handle, "COMMIT")
        if let pageLimit { try run(handle, "PRAGMA max_page_count = \(pageLimit)") }
    }

    private static func checkMarks(_ handle: OpaquePointer) throws(OutboxStoreError) {
        guard try number(handle, "PRAGMA application_id") == applicationID else {
            throw OutboxStoreError(.notAnOutbox)
        }
        let found = try number(handle, "PRAGMA user_version")
        guard found <= version else {
            throw OutboxStoreError(.newerVersion, code: Int32(truncatingIfNeeded: found))
        }
    }

    private static func run(_ handle: OpaquePointer, _ sql: String) throws(OutboxStoreError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw OutboxStoreError(sqlite: status) }
    }

    /// The statements that are run again and again; all of them or none.
    private static func statements(
        _ handle: OpaquePointer
    ) throws(OutboxStoreError) -> (OpaquePointer, OpaquePointer, OpaquePointer) {
        var made: [OpaquePointer] = []
        do throws(OutboxStoreError) {
            for sql in [
                "INSERT INTO entries (id, is_text, body) VALUES (?1, ?2, ?3)",
                "DELETE FROM entries WHERE id = ?1",
                "SELECT id, is_text, body FROM entries WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
            ] {
                made.append(try prepare(handle, sql))
            }
        } catch {
            for statement in made { sqlite3_finalize(statement) }
            throw error
        }
        return (made[0], made[1], made[2])
    }

    private static func prepare(
        _ handle: OpaquePointer, _ sql: String
    ) throws(OutboxStoreError) -> OpaquePointer {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard status == SQLITE_OK, let statement else { throw OutboxStoreError(sqlite: status) }
        return statement
    }

    private static func number(
        _ handle: OpaquePointer, _ sql: String
    ) throws(OutboxStoreError) -> Int64 {
        try firstRow(handle, sql) { sqlite3_column_int64($0, 0) }
    }

    private static func text(
        _ handle: OpaquePointer, _ sql: String
    ) throws(OutboxStoreError) -> String {
        try firstRow(handle, sql) { row in
            sqlite3_column_text(row, 0).map { String(cString: $0) } ?? ""
        }
    }

    private static func firstRow<Value>(
        _ handle: OpaquePointer, _ sql: String, _ read: (OpaquePointer) -> Value
    ) throws(OutboxStoreError) -> Value {
        let statement = try prepare(handle, sql)
        defer { sqlite3_finalize(statement) }
        let status = sqlite3_step(statement)
        guard status == SQLITE_ROW else { throw OutboxStoreError(sqlite: status) }
        return read(statement)
    }
}
