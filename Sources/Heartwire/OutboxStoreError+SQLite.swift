import CSQLite

extension OutboxStoreError {
    /// The class of failure that an extended result code of SQLite stands for.
    init(sqlite code: Int32) {
        let kind: Kind
        switch code & 0xFF {
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: kind = .cannotOpen
        case SQLITE_NOTADB: kind = .notAnOutbox
        case SQLITE_CORRUPT: kind = .corrupt
        case SQLITE_READONLY: kind = .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: kind = .locked
        case SQLITE_FULL: kind = .full
        default: kind = .system
        }
        self.init(kind, code: code)
    }
}
