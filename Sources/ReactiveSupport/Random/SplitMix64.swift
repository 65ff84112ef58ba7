// SPDX-License-Identifier: MIT
/// Random numbers that are the same for the same seed, in every process (Steele, Lea and Flood, 2014). They are not
/// suitable for cryptography.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Every seed is allowed, including 0.
    package init(seed: UInt64) { state = seed }

    /// The next number. All 64 bits are random.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
