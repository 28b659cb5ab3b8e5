// swift-format-ignore-file
// A stand-in for Darwin: Glibc, and of what differs just what this package uses, to type-check it where there is no
// Darwin. A file that asks for Glibc first gets that, so its branch for Darwin is not reached.

@_exported import Glibc

public typealias pthread_t = OpaquePointer

public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022
public let SO_NWRITE: Int32 = 0x1024

public func arc4random_buf(_ buffer: UnsafeMutableRawPointer!, _ count: Int) {}
@discardableResult
public func pthread_setname_np(_ name: UnsafePointer<CChar>) -> Int32 { fatalError() }
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult
public func pthread_detach(_ thread: pthread_t) -> Int32 { fatalError() }
@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }
