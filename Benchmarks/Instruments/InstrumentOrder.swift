/// What the instruments are asked for.
enum InstrumentOrder: Hashable {
    case paced(PacedLoad)
    case crowd(CrowdLoad)

    /// Reads the arguments.
    ///
    /// - Throws: ``InstrumentMisuse`` for arguments that do not fit.
    init(_ words: [String]) throws(InstrumentMisuse) {
        switch words.first {
        case "paced": self = .paced(try PacedLoad(Array(words.dropFirst())))
        case "crowd": self = .crowd(try CrowdLoad(Array(words.dropFirst())))
        default: throw InstrumentMisuse("give paced or crowd")
        }
    }
}

/// One connection, over which messages go round.
struct PacedLoad: Hashable {
    /// Where the consumer's task runs.
    enum Place: String, Hashable {
        /// On the client's own executor: no thread hop for a message.
        case executor
        /// On the ordinary pool.
        case pool
    }

    /// What messages are.
    enum Kind: String, Hashable {
        case binary = "b"
        case text = "t"
    }

    var url: String
    /// Bytes in a message.
    var size: Int
    /// Messages under way at once.
    var window: Int
    var kind = Kind.binary
    /// Who reads the messages; only the first of them keeps the pace.
    var consumers = 1
    var place = Place.executor
    /// The authority of a `wss:` server.
    var authority: String?

    init(_ words: [String]) throws(InstrumentMisuse) {
        guard (3...7).contains(words.count) else {
            throw InstrumentMisuse("paced takes URL SIZE WINDOW and up to four more")
        }
        url = words[0]
        size = try InstrumentMisuse.number(words[1], in: 0...(16 << 20), "SIZE")
        window = try InstrumentMisuse.number(words[2], in: 1...100_000, "WINDOW")
        if words.count > 3 {
            guard let kind = Kind(rawValue: words[3]) else {
                throw InstrumentMisuse("KIND is b or t")
            }
            self.kind = kind
        }
        if words.count > 4 {
            consumers = try InstrumentMisuse.number(words[4], in: 1...1_000, "CONSUMERS")
        }
        if words.count > 5 {
            guard let place = Place(rawValue: words[5]) else {
                throw InstrumentMisuse("PLACE is executor or pool")
            }
            self.place = place
        }
        authority = words.count > 6 ? words[6] : nil
    }
}

/// Many clients of one server.
struct CrowdLoad: Hashable {
    var url: String
    var count: Int
    /// Milliseconds between two beats; `nil` leaves the client's default.
    var interval: Int?

    init(_ words: [String]) throws(InstrumentMisuse) {
        guard (2...3).contains(words.count) else {
            throw InstrumentMisuse("crowd takes URL COUNT and perhaps INTERVAL-MILLISECONDS")
        }
        url = words[0]
        count = try InstrumentMisuse.number(words[1], in: 1...100_000, "COUNT")
        interval =
            words.count > 2
            ? try InstrumentMisuse.number(words[2], in: 1...3_600_000, "INTERVAL") : nil
    }
}

/// Arguments or commands that do not fit.
struct InstrumentMisuse: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static func number(
        _ word: String, in range: ClosedRange<Int>, _ name: String
    ) throws(InstrumentMisuse) -> Int {
        guard let number = Int(word), range.contains(number) else {
            throw InstrumentMisuse(
                "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
