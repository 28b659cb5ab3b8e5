#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that are read whole, such as certificates.
enum TextFile {
    /// The longest file that is read.
    static let byteLimit = 4 << 20

    /// Why a file was not read, as one line.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Reads the file at `path`; what is not UTF-8 in it is replaced.
    ///
    /// - Throws: ``Failure``, which names the file and what the system said.
    static func read(_ path: String) throws(Failure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(path, errno)
            }
            bytes += buffer[..<count]
            guard bytes.count <= byteLimit else { throw failure(path, EFBIG) }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure(description: "cannot read \(displaySafe(path)): \(systemErrorText(code))")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}
