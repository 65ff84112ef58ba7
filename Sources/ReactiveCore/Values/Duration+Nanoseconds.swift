extension Duration {
    /// The duration in nanoseconds, rounded up, and held within what an `Int64` can say.
    public var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        // Both components have the same sign; integer division truncates toward zero, which rounds a negative one up.
        let part = attoseconds > 0 ? (attoseconds - 1) / 1_000_000_000 + 1 : attoseconds / 1_000_000_000
        let (sum, carry) = whole.addingReportingOverflow(part)
        if carry { return whole < 0 ? .min : .max }
        return sum
    }
}
