/// Inflates the compressed messages of one direction (RFC 7692 §7.2.2) as their bytes arrive.
///
///     between messages ── begin ──▶ in a message ── append … ── end ──▶ between messages
///
/// Each piece is inflated at once, so that what is corrupt, no UTF-8 or too long fails at the first byte that
/// shows it, and what inflates too much at the next mark, whichever is first in the message. How the network
/// cut the message decides nothing: the marks stand at fixed places in it. Work is linear in what arrived and
/// what came of it, and both are bounded by ``Limits``. The inflater is made for the first message that needs it; storage is kept from one message to
/// the next, up to ``Limits/eagerReservationBytes``.
@safe final class Inflation {
    /// What the sender took off the end of every message (§7.2.1, step 3).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    private static let smallestCapacity = 4_096
    /// The ratio is looked at whenever another so many compressed bytes of a message are inflated, and at its
    /// end. Masked bytes pass through a room of this size on their way to the inflater.
    private static let strideBytes = 4_096

    private let codec: any DeflateCodec
    private let windowBits: Int
    private let keepsContext: Bool
    private let limits: Shared<Limits>
    /// `nil` before the first compressed message, and when it was given back.
    private var inflater: (any MessageInflater)?
    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    /// How much of `storage` holds the message.
    private var count = 0
    private var unmasked: [UInt8] = []
    private var isText = false
    private var validator = UTF8Validator()
    private var place = InflateProgress.Place.insideBlock
    /// The compressed bytes of the message so far.
    private(set) var received = 0

    init(codec: any DeflateCodec, windowBits: Int, keepsContext: Bool, limits: Shared<Limits>) {
        self.codec = codec
        self.windowBits = windowBits
        self.keepsContext = keepsContext
        self.limits = limits
    }

    deinit {
        unsafe storage?.deallocate()
    }

    /// The bytes that the buffers take; what the inflater itself takes is not counted.
    var allocated: Int { capacity &+ unmasked.capacity }

    /// Whether there is an inflater, and so its window.
    var holdsContext: Bool { inflater != nil }

    /// Begins a message.
    func begin(isText: Bool) {
        self.isText = isText
        validator = UTF8Validator()
        count = 0
        received = 0
        // A message without a single byte is not the end of a block: it lacks the header of the empty one.
        place = .insideBlock
    }

    /// Inflates the next piece of the message.
    ///
    /// - Parameter key: already advanced to the piece's place in its frame.
    func append(_ piece: Span<UInt8>, key: MaskingKey?) throws(ProtocolViolation) {
        var offset = 0
        while offset < piece.count {
            let stride = Self.strideBytes &- received % Self.strideBytes
            let size = min(piece.count &- offset, stride)
            let part = piece.extracting(offset..<(offset &+ size))
            received &+= size
            if let key {
                unmasked.removeAll(keepingCapacity: true)
                unsafe part.withUnsafeBytes { unsafe unmasked.append(contentsOf: $0) }
                key.advanced(by: offset).unmask(&unmasked, from: 0)
                let plain = unmasked
                try feed(plain.span)
            } else {
                try feed(part)
            }
            offset &+= size
            if size == stride { try judgeRatio() }
        }
    }

    /// Ends the message, which must end with a whole block (§7.2.1): only that tells a message that is whole
    /// from one that was cut.
    func end() throws(ProtocolViolation) -> Message {
        let tail = Self.tail
        if place != .behindFinalBlock { try feed(tail.span) }
        switch place {
        case .betweenBlocks, .behindFinalBlock: break
        case .insideBlock, .corrupt: throw .truncated
        }
        try judgeRatio()
        guard validator.isAtBoundary else { throw .invalidInflatedText }
        let message = makeMessage()
        if capacity > max(Self.smallestCapacity, limits.value.eagerReservationBytes) {
            releaseRoom()
        }
        count = 0
        if !keepsContext { inflater?.reset() }
        return message
    }

    /// Gives back the storage between messages, and the inflater if no message may refer to an earlier one.
    func releaseStorage() {
        releaseRoom()
        unmasked = []
        if !keepsContext { inflater = nil }
    }

    private func releaseRoom() {
        unsafe storage?.deallocate()
        unsafe storage = nil
        capacity = 0
        count = 0
    }

    private func makeMessage() -> Message {
        let bytes = unsafe UnsafeBufferPointer(
            start: UnsafePointer(storage?.assumingMemoryBound(to: UInt8.self)), count: count)
        guard isText else { return .binary(unsafe [UInt8](bytes)) }
        return .text(
            unsafe String(knownUTF8: unsafe bytes.span, isASCII: validator.sawOnlyASCII))
    }

    private func feed(_ bytes: Span<UInt8>) throws(ProtocolViolation) {
        let inflater = try readyInflater()
        var offset = 0
        var wasFull = false
        while offset < bytes.count || (wasFull && place == .insideBlock) {
            makeRoom(for: bytes.count)
            let room = capacity &- count
            let free = unsafe storage.map { unsafe $0 + count }
            let rest = bytes.extracting(offset...)
            let step = unsafe rest.withUnsafeBytes { input in
                unsafe inflater.inflate(
                    input,
                    into: UnsafeMutableRawBufferPointer(start: free, count: room))
            }
            offset &+= step.consumed
            place = step.place
            wasFull = step.produced == room
            try judge(step.produced)
            // An inflater that neither takes nor gives is stuck, whatever it says.
            let isStuck = step.consumed == 0 && step.produced == 0 && !rest.isEmpty
            guard step.place != .corrupt, !isStuck else { throw .corrupt }
        }
    }

    /// Looks at what was just put behind the message so far. The text comes first: its fault stands before the
    /// byte that is one too many, in whatever steps the two were produced.
    private func judge(_ produced: Int) throws(ProtocolViolation) {
        let start = count
        count &+= produced
        if isText, produced > 0, let storage = unsafe storage {
            let fresh = unsafe UnsafeRawBufferPointer(start: storage + start, count: produced)
            guard unsafe validator.consume(fresh) else { throw .invalidInflatedText }
        }
        guard count <= limits.value.messageBytes else {
            throw .inflatedTooBig(limits.value.messageBytes)
        }
    }

    private func judgeRatio() throws(ProtocolViolation) {
        let judged = count &- max(0, limits.value.inflateRatioGraceBytes)
        guard judged <= 0 || (judged &- 1) / max(1, received) < limits.value.inflateRatio else {
            throw .inflatedTooMuch(limits.value.inflateRatio)
        }
    }

    private func readyInflater() throws(ProtocolViolation) -> any MessageInflater {
        if let inflater { return inflater }
        guard let made = codec.makeInflater(windowBits: windowBits) else { throw .noInflater }
        inflater = made
        return made
    }

    /// Sees to at least one free byte. The room is never larger than the longest message and one byte, whose
    /// arrival shows that the message is too long.
    private func makeRoom(for compressed: Int) {
        guard count == capacity else { return }
        let bound = max(0, limits.value.messageBytes)
        let guess = max(Self.smallestCapacity, min(compressed, 16_384) &* 4)
        let wanted = capacity == 0 ? guess : capacity &* 2
        let larger = bound < wanted ? bound &+ 1 : wanted
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let storage = unsafe storage {
            unsafe fresh.copyMemory(from: storage, byteCount: count)
            unsafe storage.deallocate()
        }
        unsafe storage = fresh
        capacity = larger
    }
}

extension ProtocolViolation {
    @inline(never)
    fileprivate static func inflatedTooBig(_ limit: Int) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .messageTooBig, clause: "10.4",
            expected: "at most \(limit) bytes in a message", seen: "more after inflating it")
    }

    @inline(never)
    fileprivate static func inflatedTooMuch(_ limit: Int) -> ProtocolViolation {
        ProtocolViolation(
            closeCode: .messageTooBig, clause: "8", expected: "at most \(limit) bytes out of each",
            seen: "a message that inflates to more", rfc: 7_692)
    }

    fileprivate static var corrupt: ProtocolViolation {
        ProtocolViolation(
            closeCode: .invalidPayloadData, clause: "7.2.2", expected: "a message in deflate",
            seen: "corrupt data", rfc: 7_692)
    }

    fileprivate static var truncated: ProtocolViolation {
        ProtocolViolation(
            closeCode: .invalidPayloadData, clause: "7.2.1",
            expected: "a compressed message to end with a block",
            seen: "its end within one", rfc: 7_692)
    }

    fileprivate static var invalidInflatedText: ProtocolViolation {
        ProtocolViolation(
            closeCode: .invalidPayloadData, clause: "8.1", expected: "UTF-8 in a text message",
            seen: "invalid bytes after inflating it")
    }

    fileprivate static var noInflater: ProtocolViolation {
        ProtocolViolation(
            closeCode: .internalError, clause: "7.4.1", expected: "memory to inflate a message",
            seen: "none")
    }
}
