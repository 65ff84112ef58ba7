// SPDX-License-Identifier: MIT

/// The random numbers of a simulation: the same seed gives the same numbers in every process.
///
/// It is SplitMix64 (Steele, Lea and Flood, 2014). It is not suitable for cryptography.
public struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Every seed is allowed, including 0.
    public init(seed: UInt64) { state = seed }

    /// The next number. All 64 bits are random.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must be positive.
    mutating func below(_ bound: Int) -> Int { Int(next(upperBound: UInt64(bound))) }

    /// Whether an event of this probability happens. 0 or less never happens, 1 or more always does.
    mutating func happens(_ probability: Double) -> Bool {
        if probability <= 0 { return false }
        return Double(next() >> 11) * 0x1p-53 < probability
    }

    /// A duration in nanoseconds, uniformly distributed.
    mutating func duration(_ range: ClosedRange<Int64>) -> Int64 {
        if range.lowerBound == range.upperBound { return range.lowerBound }
        let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        let offset = span == .max ? next() : next(upperBound: span + 1)
        return range.lowerBound &+ Int64(bitPattern: offset)
    }
}
