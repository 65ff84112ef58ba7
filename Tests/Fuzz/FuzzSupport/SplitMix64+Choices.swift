// SPDX-License-Identifier: MIT
package import ReactiveSupport

extension SplitMix64 {
    /// The generator of one case of one fuzzer.
    package init(seed: UInt64, fuzzer: String, case index: Int) {
        var hash = seed
        for byte in fuzzer.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var mixed = SplitMix64(seed: hash)
        self.init(seed: mixed.next() ^ UInt64(truncatingIfNeeded: index))
    }

    /// True once in `count` calls, on average.
    package mutating func oneIn(_ count: Int) -> Bool { number(in: 0..<count) == 0 }

    package mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns one of `choices`, which must not be empty.
    package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(in: 0..<choices.count)] }

    /// Random bytes; half of the runs are printable.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        let range: ClosedRange<UInt8> = oneIn(2) ? 32...126 : 0...255
        return (0..<count).map { _ in UInt8.random(in: range, using: &self) }
    }

    /// Positions at which to split `count` bytes into chunks: a few, all, or none. Chunks may be empty.
    package mutating func cuts(of count: Int) -> [Int] {
        if oneIn(8) { return Array(0...count) }
        return (0..<number(in: 0..<6)).map { _ in number(in: 0..<count + 1) }.sorted()
    }
}
