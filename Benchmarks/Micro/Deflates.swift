import HeartwireProtocol
import HeartwireSocket

/// Compression as a connection does it, each message for itself.
enum Deflates {
    /// The level that the client compresses with by default.
    static let level: Int32 = 1
    static let jsonBytes = 16_384

    static let all = [
        Micro(
            name: "deflate-json", bytes: jsonBytes, reference: "zlib-deflate-json",
            prepare: deflating),
        Micro(
            name: "inflate-json", bytes: jsonBytes, reference: "zlib-inflate-json",
            prepare: inflating),
    ]

    /// Rows as a feed of prices sends them; the same text as the comparison with other implementations has.
    static let json: [UInt8] = {
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: digits - text.count) + text
        }
        var text: [UInt8] = []
        var row = 0
        while text.count < jsonBytes {
            let line =
                "{\"id\":\(row),\"symbol\":\"EURUSD\",\"bid\":1.08\(padded(row * 7 % 1_000, 3)),"
                + "\"ask\":1.08\(padded(row * 11 % 1_000, 3)),\"venue\":\"LD4\","
                + "\"ts\":17000000\(padded(row * 13 % 100_000, 5)),\"flags\":[\"firm\",\"tick\"]},\n"
            text += line.utf8
            row += 1
        }
        return [UInt8](text.prefix(jsonBytes))
    }()

    /// The same, compressed.
    static let compressed: [UInt8] = {
        guard let deflater = ZlibCodec().makeDeflater(windowBits: 15, level: Int(level)),
            let result = json.withUnsafeBytes({ deflater.deflate($0).map { [UInt8]($0) } })
        else { fatalError("zlib has no memory") }
        return result
    }()

    private static func deflating() -> (Int) -> Void {
        let text = lastingBytes(json)
        guard let deflater = ZlibCodec().makeDeflater(windowBits: 15, level: Int(level)) else {
            fatalError("zlib has no memory")
        }
        return { count in
            for _ in 0..<count {
                deflater.reset()
                keep(deflater.deflate(text))
            }
        }
    }

    private static func inflating() -> (Int) -> Void {
        let small = lastingBytes(compressed)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * jsonBytes, alignment: 64)
        guard let inflater = ZlibCodec().makeInflater(windowBits: 15) else {
            fatalError("zlib has no memory")
        }
        return { count in
            for _ in 0..<count {
                inflater.reset()
                keep(inflater.inflate(small, into: room))
            }
        }
    }
}
