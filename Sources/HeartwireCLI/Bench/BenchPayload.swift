#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The text that a measurement of compression sends, out of a file.
enum BenchPayload {
    /// The longest text: what a server with the default limits takes.
    static let byteLimit = 16 << 20

    /// Reads the text.
    ///
    /// - Throws: ``BenchPayloadError`` for a file that cannot be read, is too long or is no UTF-8.
    static func text(at path: String) throws(BenchPayloadError) -> String {
        guard let file = fopen(path, "rb") else {
            throw BenchPayloadError(path: path, problem: systemErrorText(errno))
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
            guard bytes.count <= byteLimit else {
                throw BenchPayloadError(path: path, problem: "more than \(byteLimit) bytes")
            }
        }
        guard ferror(file) == 0 else {
            throw BenchPayloadError(path: path, problem: systemErrorText(errno))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BenchPayloadError(path: path, problem: "not UTF-8")
        }
        return text
    }
}

/// Why a file cannot be measured with.
struct BenchPayloadError: Error, Hashable, CustomStringConvertible {
    let path: String
    let problem: String

    var description: String { "cannot use '\(displaySafe(path))': \(problem)" }
}
