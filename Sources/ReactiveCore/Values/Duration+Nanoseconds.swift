extension Duration {
    /// The duration in nanoseconds, rounded up, and held within what an `Int64` can say.
    public var saturatedNanoseconds: Int64 {
        let attoseconds = attoseconds
        // Up to nine seconds it is arithmetic of one word, which is a tenth of what that of two takes.
        if let few = Int64(exactly: attoseconds) { return few / 1_000_000_000 + (few % 1_000_000_000 > 0 ? 1 : 0) }
        // Integer division truncates toward zero, which rounds a negative one up.
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Int64(clamping: whole + (rest > 0 ? 1 : 0))
    }
}
