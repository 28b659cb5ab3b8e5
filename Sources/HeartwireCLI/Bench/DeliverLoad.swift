/// What `heartwire bench deliver` is asked for.
struct DeliverLoad: Sendable, Hashable {
    /// How many messages each way delivers; those that wait for the disk each time, a hundredth of it.
    var count: Int
    /// Bytes in a message.
    var size: Int
    /// Messages in one call in bulk.
    var group: Int
    /// Where the files are that are made, and removed afterwards.
    var folder: String
    /// The form of the report.
    var format: SimulateFormat

    private static let countOption = Option.integer(
        "count", "N", in: 1...10_000_000, default: 200_000,
        "deliver, hold: how many messages.")
    private static let sizeOption = Option.integer(
        "size", "BYTES", in: 0...(1 << 20), default: 64, "deliver, hold: bytes in a message.")
    private static let groupOption = Option.integer(
        "group", "N", in: 1...100_000, default: 1_000,
        "deliver, hold: messages in one call in bulk.")
    private static let folderOption = Option.text(
        "folder", "FOLDER", "deliver, hold: where SQLite's file is made (/tmp).")
    private static let formatOption = Option<SimulateFormat>.choice(
        "format", default: .table, "deliver, hold: the form of the report.")

    /// The options, and those of ``HoldLoad``.
    static let options = [
        countOption.spec, sizeOption.spec, groupOption.spec, folderOption.spec, formatOption.spec,
        HoldLoad.storeOption.spec,
    ]

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        if parsed.positionals.first != "hold", parsed.isGiven(HoldLoad.storeOption) {
            throw BenchOptions.problem("'--store' is for 'bench hold'")
        }
        count = try parsed.value(of: Self.countOption)
        size = try parsed.value(of: Self.sizeOption)
        group = try parsed.value(of: Self.groupOption)
        folder = try parsed.value(of: Self.folderOption) ?? "/tmp"
        format = try parsed.value(of: Self.formatOption)
    }
}

/// What `heartwire bench hold` is asked for.
struct HoldLoad: Sendable, Hashable {
    /// Where messages are kept.
    enum Store: String, Sendable, Hashable, CaseIterable {
        case memory
        case sqlite
    }

    static let storeOption = Option<Store>.choice(
        "store", default: .sqlite, "hold: where messages are kept.")

    /// The messages.
    var messages: DeliverLoad
    /// Where they are kept.
    var store: Store

    /// Reads the values.
    ///
    /// - Throws: ``UsageError`` for a value that does not fit.
    init(_ parsed: ParsedArguments) throws(UsageError) {
        messages = try DeliverLoad(parsed)
        store = try parsed.value(of: Self.storeOption)
    }
}
