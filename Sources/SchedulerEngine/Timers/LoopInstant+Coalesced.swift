// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension LoopInstant {
    /// The instant in `self ... self + slack` nanoseconds with the most trailing zero bits. Timers with the same
    /// instant fire together.
    ///
    /// These instants lie on a common grid for all deadlines, so one wake-up serves many timers. For timers with equal
    /// leeway, a later deadline never has an earlier instant. So these timers keep the order of their deadlines (rule
    /// T7).
    func coalesced(slack: Int64) -> LoopInstant {
        guard slack > 0, nanoseconds > 0, nanoseconds < .max else { return self }
        // The sum cannot overflow a `UInt64`. The window ends before `distantFuture`, which no clock reaches.
        let earliest = UInt64(nanoseconds)
        let latest = min(earliest + UInt64(slack), UInt64(Int64.max) - 1)
        // Clear as many low bits of the latest instant as possible without going below the deadline.
        let differing = earliest ^ latest
        if differing == 0 { return self }
        let highestDiffering = UInt64(1) << UInt64(UInt64.bitWidth - 1 - differing.leadingZeroBitCount)
        // If no lower bit of the deadline is set, the deadline itself has the most trailing zero bits.
        if earliest & (highestDiffering << 1 - 1) == 0 { return self }
        return LoopInstant(nanoseconds: Int64(latest & ~(highestDiffering - 1)))
    }
}
