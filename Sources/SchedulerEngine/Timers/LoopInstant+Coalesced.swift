import ReactiveCore
import ReactiveSupport

extension LoopInstant {
    /// The instant in `self ... self + slack` nanoseconds with the most trailing zero bits: timers that share one fire together.
    ///
    /// Instants picked this way lie on common grids, whatever the deadlines were, so one wake-up serves many timers. For one
    /// leeway a later deadline never gets an earlier instant, so the order of deadlines is kept (rule T7).
    func coalesced(slack: Int64) -> LoopInstant {
        guard slack > 0, nanoseconds > 0, nanoseconds < .max else { return self }
        // Neither sum below can overflow an unsigned word; a window is cut off before the instant that never comes.
        let earliest = UInt64(nanoseconds)
        let latest = min(earliest + UInt64(slack), UInt64(Int64.max) - 1)
        // Clear as many low bits of the latest instant as possible without going below the deadline.
        let differing = earliest ^ latest
        if differing == 0 { return self }
        let highestDiffering = UInt64(1) << UInt64(UInt64.bitWidth - 1 - differing.leadingZeroBitCount)
        // The deadline itself may be the roundest of all: then nothing up to that bit is set in it.
        if earliest & (highestDiffering << 1 - 1) == 0 { return self }
        return LoopInstant(nanoseconds: Int64(latest & ~(highestDiffering - 1)))
    }
}
