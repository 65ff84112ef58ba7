import ReactiveCore

extension LoopInstant {
    /// The instant in `self ... self + leeway` with the most trailing zero bits, as timers that share one fire together.
    ///
    /// Instants picked this way lie on common grids, whatever the deadlines were, so one wake-up serves many timers. For one
    /// leeway a later deadline never gets an earlier instant, so the order of deadlines is kept (rule T7).
    func coalesced(leeway: Duration) -> LoopInstant {
        let slack = leeway.saturatedNanoseconds
        guard slack > 0, self != .distantFuture else { return self }
        let (latest, overflow) = nanoseconds.addingReportingOverflow(slack)
        guard !overflow, nanoseconds > 0 else { return self }
        // Clear as many low bits of the latest instant as possible without going below the deadline.
        let differing = nanoseconds ^ latest
        if differing == 0 { return self }
        let highestDiffering = Int64.bitWidth - 1 - differing.leadingZeroBitCount
        var picked = latest & ~((Int64(1) << highestDiffering) - 1)
        // The deadline itself may be the roundest of all: then nothing below that bit is set in it.
        if nanoseconds & ((Int64(1) << (highestDiffering + 1)) - 1) == 0 { picked = nanoseconds }
        return LoopInstant(nanoseconds: picked)
    }
}
