// SPDX-License-Identifier: MIT
/// A sample of numbers with its quantiles.
public struct Distribution: Sendable {
    private let sorted: [Int64]

    /// Sorts the values.
    public init(_ values: [Int64]) { sorted = values.sorted() }

    /// The value below which this share of the sample lies.
    public func quantile(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
    }
}

/// A pseudorandom sequence (xorshift64) that is the same in every program, in C and in Swift.
public struct RandomSequence {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Starts the sequence.
    public init() {}

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
