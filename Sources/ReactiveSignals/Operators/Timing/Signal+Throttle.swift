public import ReactiveCore

extension Signal {
    /// Sends a value at once, and then at most one each `interval`: the latest that has come meanwhile, on `scheduler`.
    ///
    /// When the signal completes, the value that waits is sent when its time comes, and the end after it; or dropped where
    /// `discardWhenCompleted` says so. A failure passes at once and drops it (law 9).
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
