public import ReactiveCore

extension Signal {
    /// Sends a value at once, without the scheduler, then at most one each `interval`: the latest one, on `scheduler`.
    ///
    /// A failure is passed on at once and drops the waiting value (law 9).
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values.
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
