// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends at most one value per `interval`. After a quiet interval, a value is sent immediately. Otherwise the
    /// latest value is sent at the end of the interval.
    ///
    /// The first value, and each value that arrives at least `interval` after the last sent one, is sent on the
    /// source's thread. Any other value waits, replaces the one that waits already, and is sent on `scheduler` at the
    /// end of the interval. With `latest: false` it is dropped instead, so nothing waits and no timer is used.
    ///
    /// A failure is passed on immediately and drops the waiting value ([law 9](doc:LawsOfSignals)). A value that is due
    /// during a pause is sent after the resume.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values. With zero or less, no value waits.
    ///   - scheduler: The scheduler that sends values that had to wait. Its clock measures the interval.
    ///   - latest: Whether the latest value that arrives during an interval is sent at the end of it. If false, only
    ///     the first value of each interval is sent, and the next interval begins with the first value after it.
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
