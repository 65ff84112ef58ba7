/// Numbers, and where in them a share lies.
public struct Distribution: Sendable {
    private let sorted: [Int64]

    /// Sorts them.
    public init(_ values: [Int64]) { sorted = values.sorted() }

    /// The value below which the share of them lies.
    public func quantile(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
    }
}

/// The same sequence of numbers in every program, in C and in Swift: xorshift64.
public struct RandomSequence {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Starts it.
    public init() {}

    /// The next one.
    public mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
