// SPDX-License-Identifier: MIT
package import ReactiveSupport

extension SplitMix64 {
    /// Random bytes, in which lost, repeated or reordered data is noticed.
    package mutating func noise(_ count: Int) -> [UInt8] {
        let words = (0..<(count + 7) / 8).map { _ in next().littleEndian }
        // Safe: the bytes are copied.
        return unsafe words.withUnsafeBytes { words in unsafe Array(words.prefix(count)) }
    }
}

extension Check {
    /// A new generator with this run's seed.
    package func random() -> SplitMix64 { SplitMix64(seed: seed) }

    /// Random bytes from this run's seed.
    package func noise(_ count: Int) -> [UInt8] {
        var random = random()
        return random.noise(count)
    }
}
