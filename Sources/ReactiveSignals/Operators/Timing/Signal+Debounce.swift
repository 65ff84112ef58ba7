// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends a value on `scheduler` when `interval` has passed without another value.
    ///
    /// A failure is passed on immediately and drops the waiting value ([law 9](doc:LawsOfSignals)). A value that is due
    /// during a pause is sent after the resume. One timer serves all values.
    ///
    /// - Parameters:
    ///   - interval: The time without another value after which a value is sent. A negative duration counts as zero.
    ///   - scheduler: The scheduler that sends due values. Other events are sent on the thread of the source.
    ///   - discardWhenCompleted: Whether completion drops the waiting value. By default the value is sent immediately,
    ///     before the completion.
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
