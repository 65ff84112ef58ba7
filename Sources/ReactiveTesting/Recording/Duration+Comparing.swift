// SPDX-License-Identifier: MIT
import ReactiveCore

/// A clock in virtual time counts whole nanoseconds. A `Duration` that is created from a `Double` may contain a
/// fraction: `.seconds(3.8)` is 3.799999999999999822 seconds, and a timer for `.seconds(1.1)` fires at 1.100000001,
/// because it rounds up (rule T1).
extension Duration {
    /// The duration in nanoseconds, rounded to the nearest one, and clamped to the range of `Int64`.
    var nearestNanoseconds: Int64 {
        let half = Duration(secondsComponent: 0, attosecondsComponent: 500_000_000)
        let rounded = self > .zero ? self + half : self - half
        let (whole, _) = rounded.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Int64(clamping: whole)
    }

    /// The duration, rounded to the nearest nanosecond.
    var roundedToNanosecond: Duration { .nanoseconds(nearestNanoseconds) }

    /// Whether the durations are less than one nanosecond apart. False for two different whole numbers of nanoseconds.
    func isSameNanosecond(as other: Duration) -> Bool {
        (self < other ? other - self : self - other) < .nanoseconds(1)
    }
}
