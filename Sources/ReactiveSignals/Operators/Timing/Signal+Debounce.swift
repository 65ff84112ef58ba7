public import ReactiveCore

extension Signal {
    /// Sends a value on `scheduler` when `interval` has passed since it came and no other one has.
    ///
    /// When the signal completes, the value that waits is sent at once, before the end, or dropped where
    /// `discardWhenCompleted` says so. A failure passes at once and drops it (law 9). One timer serves all values.
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
