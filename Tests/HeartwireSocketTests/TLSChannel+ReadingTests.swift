#if os(Linux)
    import Heartwire
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import Testing

    @testable import HeartwireSocket

    @Suite("What TLS brings, and where it goes")
    struct TLSChannelReadingTests {
        /// Enough that ciphertext is read many times, and no multiple of what a record holds.
        private let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        @Test(
            "T2: what is wanted where it stays comes there, and all comes in order",
            arguments: [1_000, 16_406, 65_536, 1 << 20])
        func direct(readSize: Int) throws {
            let world = try TLSWorld(pipeCapacity: 1 << 20, readSize: readSize)
            world.run()
            let wanted = TLSChannel.largestDirectRead + 20_000
            world.client.channelDirectBytes = wanted
            #expect(world.write(bytes, on: world.serverChannel) == bytes.count)
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
            let reads = world.client.directReads
            #expect(reads.allSatisfy { $0 <= TLSChannel.largestDirectRead })
            // Less than a record is not asked for by itself.
            let left = world.client.channelDirectBytes
            #expect(left + reads.reduce(0, +) == wanted)
            #expect(left < TLSSession.recordBytes)
        }

        @Test("T2: less than a record is read with what follows it")
        func small() throws {
            for wanted in [TLSSession.recordBytes - 1, TLSSession.recordBytes] {
                let world = try TLSWorld(pipeCapacity: 1 << 20)
                world.run()
                world.client.channelDirectBytes = wanted
                world.write(bytes, on: world.serverChannel)
                world.run()
                let isDirect = !world.client.directReads.isEmpty
                #expect(isDirect == (wanted == TLSSession.recordBytes))
                let isWhole = world.client.bytes == bytes
                #expect(isWhole)
            }
        }

        @Test("T4: a pause from within a direct read holds back the rest")
        func pausing() throws {
            let world = try TLSWorld(pipeCapacity: 1 << 20, readSize: 1 << 20)
            world.run()
            world.client.onBytes = { world.channel?.setReading(false) }
            world.client.channelDirectBytes = 2 * TLSSession.recordBytes
            world.write(bytes, on: world.serverChannel)
            world.run()
            #expect(world.client.bytes.count == 2 * TLSSession.recordBytes)
            world.client.onBytes = nil
            world.perform { world.channel?.setReading(true) }
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
        }

        @Test(
            "K10-06: what came directly is handed over before the record that breaks TLS is told of"
        )
        func broken() throws {
            let world = try TLSWorld(pipeCapacity: 1 << 20, readSize: 1 << 20)
            world.run()
            world.client.channelDirectBytes = bytes.count + 100_000
            let record: [UInt8] = [0x17, 3, 3, 0, 20] + [UInt8](repeating: 9, count: 20)
            world.perform {
                _ = bytes.withUnsafeBytes { world.serverChannel?.write($0) }
                _ = record.withUnsafeBytes { world.serverBase?.write($0) }
            }
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
            guard case .failed(let failure)? = world.client.reports.last else {
                Issue.record("\(world.client.reports)")
                return
            }
            #expect(failure.kind == .tls)
            #expect(world.isQuiet)
        }

        @Test("K08-05: the end with close_notify comes behind what was read directly")
        func ending() throws {
            let world = try TLSWorld(pipeCapacity: 1 << 20)
            world.run()
            world.client.channelDirectBytes = 1 << 20
            world.write(bytes, on: world.serverChannel)
            world.perform { world.serverChannel?.finish() }
            world.run()
            let isWhole = world.client.bytes == bytes
            #expect(isWhole)
            #expect(world.client.reports.last == .endOfStream)
        }
    }
#endif
