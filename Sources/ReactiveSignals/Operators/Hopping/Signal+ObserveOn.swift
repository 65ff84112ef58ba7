public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends everything on `scheduler`: values, failure and completion, in their order (laws 7 and 9).
    ///
    /// What comes is queued and delivered in batches, one piece of work for each time the queue was empty; always as work
    /// of the scheduler, also where the source runs on it. Up to `limit` values wait (less than one counts as one), then
    /// `policy` says what happens. A batch gives way to other work after 1024 values. After `dispose()` on the scheduler
    /// nothing comes (law 1); a pause keeps the queue where it is (law 11), and a failure in its place, unless the pause is that of
    /// an operator alone (law 9). The source is released as soon as its end is in
    /// the queue (law 6). On a scheduler that is over nothing is delivered any more.
    @inlinable
    public func observe(
        on scheduler: any Scheduler,
        limit: Int = 128,
        whenFull policy: OverflowPolicy = .holdBack
    ) -> Signal {
        Signal(start: { [start] sink, subscription in
            let input = subscription.makeChild()
            let hop = Hop(sink, subscription, input, scheduler, max(1, limit), policy)
            start(RelaySink({ hop.receive($0) }, { hop.receive(termination: $0) }), input)
        })
    }

    /// Subscribes on `scheduler`: the source starts as its work. Disposed before that, it does not start.
    @inlinable
    public func subscribe(on scheduler: any Scheduler) -> Signal {
        Signal(start: { [start] sink, subscription in
            let sink = UnsafeTransfer(sink)
            let work = scheduler.schedule {
                if !subscription.isDisposed { start(sink.value, subscription) }
            }
            if !work.isDisposed { subscription.onDispose { work.dispose() } }
        })
    }
}
