@testable import HeartwireProtocol

/// The judgement of UTF-8.
enum Texts {
    static let all = [
        Micro(name: "utf8-ascii-64k", bytes: blockBytes, reference: "sum-64k") {
            judging("The quick brown fox jumps over the lazy dog. ")
        },
        Micro(name: "utf8-mixed-64k", bytes: blockBytes, reference: "sum-64k") {
            judging("Größe 東京の天気 Москва, naïve café — Ελλάδα हिन्दी 한국어 😀🎉 plain words too. ")
        },
        Micro(name: "utf8-cjk-64k", bytes: blockBytes, reference: "sum-64k") {
            judging("東京の天気は晴れのち曇りでしょう今日も一日")
        },
    ]

    /// Goes over as many whole repetitions as fit, filled up with ASCII.
    private static func judging(_ words: String) -> (Int) -> Void {
        var bytes: [UInt8] = []
        while bytes.count + words.utf8.count <= blockBytes { bytes += words.utf8 }
        bytes += [UInt8](repeating: 0x2E, count: blockBytes - bytes.count)
        let text = lastingBytes(bytes)
        return { count in
            for _ in 0..<count {
                var validator = UTF8Validator()
                precondition(validator.consume(text))
                keep(validator.isAtBoundary)
            }
        }
    }
}
