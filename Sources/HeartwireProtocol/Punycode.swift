/// Punycode, the encoding of a label beyond ASCII (RFC 3492), without the `xn--` in front.
enum Punycode {
    // RFC 3492 §5.
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialN = 0x80

    /// Encodes a label of at most 63 scalars: no sum can overflow 32 bits then (63 · 0x10FFFF < 2³¹).
    static func encode(_ label: [Unicode.Scalar]) -> String {
        var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basicCount
        var (n, delta, bias) = (initialN, 0, initialBias)
        while let next = label.lazy.map({ Int($0.value) }).filter({ $0 >= n }).min() {
            delta &+= (next &- n) &* (handled &+ 1)
            n = next
            for scalar in label {
                if scalar.value < n { delta &+= 1 }
                guard scalar.value == n else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, handled &+ 1, isFirst: handled == basicCount)
                delta = 0
                handled &+= 1
            }
            delta &+= 1
            n &+= 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 3492 §3.3: a number in digits of varying weight.
    private static func append(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var (rest, position) = (delta, base)
        while true {
            let threshold = min(max(position &- bias, tMin), tMax)
            guard rest >= threshold else { break }
            output.append(digit(threshold &+ (rest &- threshold) % (base &- threshold)))
            rest = (rest &- threshold) / (base &- threshold)
            position &+= base
        }
        output.append(digit(rest))
    }

    /// RFC 3492 §3.4.
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = delta / (isFirst ? damp : 2)
        delta &+= delta / count
        var bias = 0
        while delta > (base &- tMin) &* tMax / 2 {
            delta /= base &- tMin
            bias &+= base
        }
        return bias &+ (base &- tMin &+ 1) &* delta / (delta &+ skew)
    }

    /// `a` to `z` for 0 to 25, `0` to `9` for 26 to 35.
    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value &+ 0x61 : value &+ 0x16)
    }
}
