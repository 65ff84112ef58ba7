// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends a value on `scheduler` when `interval` has passed without another value.
    ///
    /// A failure is passed on at once and drops the waiting value ([law 9](doc:LawsOfSignals)). A value that is due
    /// during a pause is sent after the resume. One timer serves all values.
    ///
    /// - Parameters:
    ///   - interval: How long no other value may arrive before a value is sent. A negative duration counts as zero.
    ///   - scheduler: Where due values are sent. Other events are sent where the source sends them.
    ///   - discardWhenCompleted: Whether completion drops the waiting value. By default it is sent at once, before the
    ///     completion.
    @inlinable
    public func debounce(
        _ interval: Duration,
        on scheduler: any TimedScheduler,
        discardWhenCompleted: Bool = false
    ) -> Signal {
        Signal(start: { sink, subscription in
            TimedLatest(.debounce, Junction(sink, subscription), interval, scheduler, discardWhenCompleted).join(self)
        })
    }
}
