import Foundation
import Testing

@testable import HeartwireCLI

@Suite("Files that are read whole")
struct TextFileTests {
    private let place = FileManager.default.temporaryDirectory
        .appendingPathComponent("heartwire-\(UUID().uuidString)")

    @Test("a file comes whole, however long, up to the limit")
    func whole() throws {
        defer { try? FileManager.default.removeItem(at: place) }
        for count in [0, 1, 65_536, 65_537, TextFile.byteLimit] {
            let text = String(repeating: "x", count: count)
            try Data(text.utf8).write(to: place)
            let isEqual = try TextFile.read(place.path) == text
            #expect(isEqual)
        }
        try Data(count: TextFile.byteLimit + 1).write(to: place)
        #expect(throws: TextFile.Failure.self) { try TextFile.read(place.path) }
    }

    @Test("what cannot be read is told with its name and the system's words")
    func failures() {
        for path in ["/does/not/exist", NSTemporaryDirectory()] {
            let failure = #expect(throws: TextFile.Failure.self) { try TextFile.read(path) }
            #expect(failure?.description.contains("cannot read \(path): ") == true)
        }
    }
}
