import HeartwireProtocol

// What comes from the kernel, and where it goes.
extension TCPChannel {
    /// Less than this of a payload is copied rather than asked for by a more costly system call.
    static let smallestDirectRead = 16_384

    /// More than this is not read at once, so that it is still in the cache when it is unmasked and judged.
    static let largestDirectRead = 262_144

    /// What is read behind the end of a message of which more was to come than that: enough for the next header.
    static let behindLongMessage = 16_384

    func readOnce() {
        if let handler {
            let direct = handler.channelDirectBytes
            let least = isInLongMessage ? 1 : Self.smallestDirectRead
            if direct >= least { return readDirectly(direct, handler) }
        }
        let shared = loop.sharedReadBuffer
        let buffer = UnsafeMutableRawBufferPointer(rebasing: shared.prefix(Int(readBytes)))
        received(TCPSocket.receive(descriptor, into: buffer)) { count in
            handler?.channelReceived(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Reads what belongs to a long message to where it stays, and what follows its end into the shared buffer.
    private func readDirectly(_ direct: Int, _ handler: any ByteChannelHandler) {
        if direct > Self.largestDirectRead { isInLongMessage = true }
        let buffer = UnsafeMutableRawBufferPointer(
            rebasing: loop.sharedReadBuffer.prefix(bytesBehind(direct)))
        var transfer = TCPSocket.Transfer.wouldBlock
        var taken = 0
        handler.channelReceivesDirectly(atMost: min(direct, Self.largestDirectRead)) { room in
            transfer = TCPSocket.receive(descriptor, into: room, then: buffer)
            guard case .bytes(let count) = transfer else { return 0 }
            taken = min(count, room.count)
            return taken
        }
        if taken == direct { isInLongMessage = false }
        received(transfer) { count in
            guard count > taken else { return }
            self.handler?.channelReceived(
                UnsafeRawBufferPointer(rebasing: buffer[..<(count - taken)]))
        }
    }

    /// How many bytes are read behind the next `direct` ones. More of the same message, or of another that is as
    /// long, would only have to be copied from there.
    private func bytesBehind(_ direct: Int) -> Int {
        guard direct <= Self.largestDirectRead else { return 0 }
        return min(Int(readBytes), isInLongMessage ? Self.behindLongMessage : .max)
    }

    private func received(_ transfer: TCPSocket.Transfer, _ handOver: (Int) -> Void) {
        switch transfer {
        case .bytes(0):
            receivedEOF = true
            if let brokenWrite { return fail(brokenWrite.value) }
            updateInterest()
            handler?.channelReceivedEOF()
        case .bytes(let count):
            if count >= FreeMemory.givenBackBytes { FreeMemory.keepForNextRead() }
            handOver(count)
        case .wouldBlock: break
        case .failed(let failure): fail(failure)
        }
    }

    func discard() {
        switch TCPSocket.receive(descriptor, into: loop.sharedReadBuffer) {
        case .bytes(0), .failed: end()
        case .bytes, .wouldBlock: break
        }
    }

    /// Bounds what one read takes, below what the loop's buffer holds.
    public func limitReads(to bytes: Int) {
        readBytes = Int32(max(1, min(bytes, EventLoop.readBufferBytes)))
    }
}
