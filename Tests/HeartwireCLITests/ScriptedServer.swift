import Dispatch
import Foundation
import HeartwireProtocol

@testable import HeartwireCLI

/// A server for one connection that answers the opening request with given bytes, whatever these are, and keeps the
/// connection until the client ends it.
final class ScriptedServer: Sendable {
    /// The URL that it listens on.
    let url: String
    private let descriptor: Int32

    /// Listens on a free port.
    ///
    /// - Parameter answer: makes the bytes to send of the client's key.
    init(_ answer: @escaping @Sendable (_ key: String) -> [UInt8]) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(descriptor, pointer, length)
                _ = listen(descriptor, 1)
                _ = getsockname(descriptor, pointer, &length)
            }
        }
        self.descriptor = descriptor
        url = "ws://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        DispatchQueue(label: "server").async {
            let connection = accept(descriptor, nil, nil)
            Self.serve(connection, answer)
            close(connection)
            close(descriptor)
        }
    }

    /// Answers with a right 101 and then `frames`.
    static func open(sending frames: [UInt8]) -> ScriptedServer {
        ScriptedServer { key in
            OpeningResponse.accept(key: key, subprotocol: nil, headers: [:]) + frames
        }
    }

    private static func serve(_ connection: Int32, _ answer: (String) -> [UInt8]) {
        var request = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !request.contains("\r\n\r\n") {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let field = request.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("sec-websocket-key:")
        }
        let key = field?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? ""
        try? DescriptorWriter(descriptor: connection).write(answer(key))
        while read(connection, &buffer, buffer.count) > 0 {}
    }
}
