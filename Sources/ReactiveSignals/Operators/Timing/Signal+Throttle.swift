// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends at most one value each `interval`: at once after a quiet interval, otherwise the latest value at the end
    /// of the interval, or none.
    ///
    /// A value that arrives after a quiet interval, as the first one does, is sent at once on the source's thread. A
    /// value that arrives earlier waits and replaces the one that waits. It is sent on `scheduler`. With
    /// `latest: false` it is dropped instead, so nothing waits and no timer is used.
    ///
    /// A failure is passed on at once and drops the waiting value ([law 9](doc:LawsOfSignals)). A value that is due
    /// during a pause is sent after the resume.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values. With zero or less, no value waits.
    ///   - scheduler: Where values that had to wait are sent. Its clock measures the interval.
    ///   - latest: Whether the latest value that arrives during an interval is sent at the end of it. If false, only
    ///     the first value of each interval is sent, and the next interval begins with the next value after it.
    ///   - discardWhenCompleted: Whether completion drops the waiting value. By default the value is sent when it is
    ///     due, and the completion after it.
    @inlinable
    public func throttle(
        _ interval: Duration,
        on scheduler: any TimedScheduler,
        latest: Bool = true,
        discardWhenCompleted: Bool = false
    ) -> Signal {
        Signal(start: { sink, subscription in
            let kind: TimedLatest<Value, Failure>.Kind = latest ? .throttle : .throttleFirst
            TimedLatest(kind, Junction(sink, subscription), interval, scheduler, discardWhenCompleted).join(self)
        })
    }
}
