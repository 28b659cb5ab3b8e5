import Foundation
import Testing

/// What is between the marks `// Guide: begin` and `// Guide: end` in this folder is compiled, and run where that
/// makes sense. The test holds it together with the guides, word for word.
@Suite("The guides")
struct GuideExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog = folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Heartwire/Heartwire.docc")

    private static func texts(in folder: URL, _ type: String) throws -> [String: String] {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == type }.reduce(into: [:]) { texts, file in
            texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
    }

    /// The pieces of a text between two marks, each without the indentation of its first line.
    private static func pieces(of text: String, from begin: String, to end: String) -> [String] {
        var pieces: [String] = []
        var piece: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " }
            if piece == nil {
                if words == begin { piece = [] }
            } else if words == end {
                let lines = piece ?? []
                let indentation = lines.first?.prefix { $0 == " " } ?? ""
                pieces.append(
                    lines.map { $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0 }
                        .joined(separator: "\n"))
                piece = nil
            } else {
                piece?.append(line)
            }
        }
        return pieces
    }

    @Test("Each example of a guide compiles here, word for word, and each one here is in a guide")
    func same() throws {
        let examples = try Self.texts(in: Self.folder, "swift").values.flatMap {
            Self.pieces(of: $0, from: "// Guide: begin", to: "// Guide: end")
        }
        let guides = try Self.texts(in: Self.catalog, "md")
        #expect(guides.count > 5)
        var shown: [String] = []
        for (name, guide) in guides {
            for block in Self.pieces(of: guide, from: "```swift", to: "```") {
                #expect(examples.contains(block), "\(name) shows what is not here:\n\(block)")
                shown.append(block)
            }
        }
        for example in examples {
            #expect(shown.contains(example), "no guide shows:\n\(example)")
        }
    }
}
