import Heartwire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A store in a file of its own, which goes with this object.
final class BenchStore: Sendable {
    let store: SQLiteOutboxStore
    private let path: String

    /// Names a file in `folder` that is not there yet.
    init(in folder: String) {
        path = "\(folder)/heartwire-bench-\(getpid())-\(UInt32.random(in: 0 ... .max)).db"
        store = SQLiteOutboxStore(path: path)
    }

    /// How many bytes the file has, and SQLite's log beside it.
    var bytes: Int {
        names.reduce(0) { sum, name in
            var status = stat()
            return stat(name, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    private var names: [String] { [path, path + "-wal", path + "-shm"] }

    deinit {
        for name in names { unlink(name) }
    }
}
