// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The random numbers of a simulation: the same seed gives the same numbers in every process.
///
/// They are not suitable for cryptography.
public struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    /// Creates a generator. Every seed is allowed, including 0.
    public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// The next number. All 64 bits are random.
    public mutating func next() -> UInt64 { generator.next() }

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
