#if os(Linux)
    import HeartwireProtocol
    import HeartwireSession
    import HeartwireTesting
    import HeartwireURLSession
    import Testing

    /// Faults of FoundationNetworking that no case of the suite can show, each pinned until it is mended.
    @Suite(
        "Faults of FoundationNetworking", .serialized, .timeLimit(.minutes(5)),
        .enabled(if: URLSessionTransportFactory.isSupported))
    struct PlatformFaultTests {
        @Test(
            "T3: a text of which a read ends within a character ends the process, until it is mended"
        )
        func cutCharacter() async {
            await #expect(processExitsWith: .failure) {
                let place = try FoundationPlace()
                // A read holds about 16 KiB; one of these is cut within a character wherever that is.
                for offset in 0..<4 {
                    let text =
                        String(repeating: "a", count: offset)
                        + String(repeating: "\u{1F600}", count: 6_000)
                    _ = try await place.echo(.text(text))
                }
            }
        }

        @Test("T3: cancel() sends a Close frame with an unlawful code, until that is mended")
        func cancelCode() async throws {
            let place = try FoundationPlace()
            #expect(await place.run(.abortWhileOpen).faults.isEmpty)
            // The endpoint has seen something that it has to answer as a breach.
            #expect(await place.closes() == [.closeSent(.protocolError)])
            place.stop()
        }

        @Test(
            "T3: a close with a code of the app's own goes out as 1000, until there is a word for it"
        )
        func ownCode() async throws {
            let place = try FoundationPlace()
            _ = await place.run(.appCloseOwnCode)
            #expect(await place.closes() == [.closeReceived(1_000), .closeSent(1_000)])
            place.stop()
        }
    }
#endif
