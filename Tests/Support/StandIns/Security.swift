// swift-format-ignore-file
// A stand-in for Security, and for what Apple's Foundation has of it: just what this package uses, to type-check it
// where there is none. Core Foundation's types are those that they are bridged to.

@_exported import Foundation
@_exported import FoundationNetworking

public final class SecTrust: @unchecked Sendable {}
public final class SecCertificate: @unchecked Sendable {}
public typealias CFError = any Error
public typealias CFData = Data
public typealias CFArray = [Any]

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> Int32 { fatalError() }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> Int32 { fatalError() }
public func SecCertificateCreateWithData(_ allocator: Never?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }

public enum tls_protocol_version_t: UInt16, Sendable {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
}

extension URLSessionConfiguration {
    public var waitsForConnectivity: Bool {
        get { fatalError() }
        set { _ = newValue }
    }
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set { _ = newValue }
    }
}
