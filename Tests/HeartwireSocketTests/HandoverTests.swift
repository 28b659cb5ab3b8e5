import Dispatch
import Testing

@testable import HeartwireSocket

@Suite("Handover: a value from another thread")
struct HandoverTests {
    /// It is allocated by the one thread and read by the other, which is what `make sanitize` looks at.
    private final class Parcel: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private let queue = DispatchQueue(label: "other")

    @Test("What is handed over before the task begins to wait arrives, and is no race")
    func before() async {
        for number in 0..<100 {
            let parcel: Parcel = await withHandover { handover in
                queue.async { handover.resume(returning: Parcel(number)) }
                // Returns when the block above has run, and the task waits after that.
                queue.sync {}
            }
            #expect(parcel.number == number)
        }
    }

    @Test("What is handed over while the task waits arrives, and is no race")
    func during() async {
        for number in 0..<100 {
            let parcel: Parcel = await withHandover { handover in
                queue.asyncAfter(deadline: .now() + .microseconds(200)) {
                    handover.resume(returning: Parcel(number))
                }
            }
            #expect(parcel.number == number)
        }
    }

    @Test("A value can be handed over on the spot, also none and a refusal")
    func onTheSpot() async throws {
        struct Refused: Error {}
        #expect(await withHandover { $0.resume(returning: 7) } == 7)
        let none: Int? = await withHandover { $0.resume(returning: nil) }
        #expect(none == nil)
        let refusal: Result<Int, any Error> = await withHandover {
            $0.resume(returning: .failure(Refused()))
        }
        #expect(throws: Refused.self) { try refusal.get() }
        await withHandover { (handover: Handover<Void>) in handover.resume() }
    }

    @Test("The body runs where the caller is")
    @MainActor
    func isolation() async {
        var count = 0
        let value: Int = await withHandover { handover in
            MainActor.assertIsolated()
            count += 1
            handover.resume(returning: count)
        }
        #expect(value == 1)
    }
}
