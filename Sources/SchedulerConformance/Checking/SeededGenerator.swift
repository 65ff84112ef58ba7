// SPDX-License-Identifier: MIT
/// Random numbers that are the same for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// Random bytes, in which lost, repeated or reordered data is noticed.
    package mutating func noise(_ count: Int) -> [UInt8] {
        let words = (0..<(count + 7) / 8).map { _ in next().littleEndian }
        // Safe: the bytes are copied.
        return unsafe words.withUnsafeBytes { words in unsafe Array(words.prefix(count)) }
    }
}

extension Check {
    /// A new generator with this run's seed.
    package func random() -> SeededGenerator { SeededGenerator(seed: seed) }

    /// Random bytes from this run's seed.
    func noise(_ count: Int) -> [UInt8] {
        var random = random()
        return random.noise(count)
    }
}
