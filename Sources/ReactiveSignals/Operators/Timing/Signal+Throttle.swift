// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends at most one value each `interval`: at once after a quiet interval, otherwise the latest value at the end
    /// of the interval.
    ///
    /// A value that arrives after a quiet interval, as the first one does, is sent at once on the source's thread. A
    /// value that arrives earlier waits and replaces the one that waits. It is sent on `scheduler`.
    ///
    /// A failure is passed on at once and drops the waiting value ([law 9](doc:LawsOfSignals)). A value that is due
    /// during a pause is sent after the resume.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values. With zero or less, no value waits.
    ///   - scheduler: Where values that had to wait are sent.
    ///   - discardWhenCompleted: Whether completion drops the waiting value. By default the value is sent when it is
    ///     due, and the completion after it.
    @inlinable
    public func throttle(
        _ interval: Duration,
        on scheduler: any TimedScheduler,
        discardWhenCompleted: Bool = false
    ) -> Signal {
        Signal(start: { sink, subscription in
            TimedLatest(.throttle, Junction(sink, subscription), interval, scheduler, discardWhenCompleted).join(self)
        })
    }
}
