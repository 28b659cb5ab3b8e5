/// Strings out of received bytes, each byte judged once.
extension String {
    /// Takes UTF-8 as it stands, or gives `nil` when it is not valid.
    init?(validatingUTF8 bytes: Span<UInt8>) {
        var validator = UTF8Validator()
        guard validator.consume(bytes), validator.isAtBoundary else { return nil }
        self = unsafe String(knownUTF8: bytes, isASCII: validator.sawOnlyASCII)
    }

    /// Takes bytes that a ``UTF8Validator`` has found to be whole and valid, without judging them
    /// again where the system's library lets us.
    @unsafe init(knownUTF8 bytes: Span<UInt8>, isASCII: Bool) {
        if #available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *) {
            self.init(copying: unsafe UTF8Span(unchecked: bytes, isKnownASCII: isASCII))
        } else {
            self = unsafe bytes.withUnsafeBufferPointer {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        }
    }

    /// Takes masked UTF-8, unmasked on its way into the string, or gives `nil` when it is not valid.
    init?(validatingUTF8 bytes: Span<UInt8>, key: MaskingKey) {
        var isValid = false
        let text = unsafe bytes.withUnsafeBytes { source in
            unsafe String(unsafeUninitializedCapacity: source.count) { room -> Int in
                unsafe key.combine(source, into: UnsafeMutableRawBufferPointer(room))
                var validator = UTF8Validator()
                let plain = unsafe UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(room)[..<source.count])
                isValid = unsafe validator.consume(plain) && validator.isAtBoundary
                return isValid ? source.count : 0
            }
        }
        guard isValid else { return nil }
        self = text
    }
}
