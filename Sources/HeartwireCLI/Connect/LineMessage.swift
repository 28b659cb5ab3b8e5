import HeartwireProtocol

/// The message that one line of the input becomes.
///
/// - Parameter number: the line's place in the input, from 1, for the error.
/// - Throws: ``InputError/notUTF8(line:)`` when the line is to be text and is none (RFC 6455 §8.1).
func message(
    fromLine line: [UInt8], number: Int, isBinary: Bool
) throws(InputError) -> Message {
    if isBinary { return .binary(line) }
    guard let text = String(validating: line, as: UTF8.self) else {
        throw .notUTF8(line: number)
    }
    return .text(text)
}
