// swift-format-ignore-file
// A stand-in for CryptoKit: just what this package uses, to type-check it where there is no CryptoKit.

import Foundation

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

public enum SHA256 {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { fatalError() }
}
