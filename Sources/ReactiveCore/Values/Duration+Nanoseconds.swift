// SPDX-License-Identifier: MIT
extension Duration {
    /// The duration in nanoseconds, rounded up, and clamped to the range of `Int64`.
    public var saturatedNanoseconds: Int64 {
        let attoseconds = attoseconds
        // A duration of up to nine seconds fits one word, whose division is much cheaper than that of two words.
        if let few = Int64(exactly: attoseconds) { return few / 1_000_000_000 + (few % 1_000_000_000 > 0 ? 1 : 0) }
        // Integer division truncates toward zero, which already rounds a negative duration up.
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Int64(clamping: whole + (rest > 0 ? 1 : 0))
    }
}
