public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Delivers all events on `scheduler`, in order: values, completion and failure (laws 7 and 9).
    ///
    /// Events are queued and delivered by a job of the scheduler, even if the source sends on that scheduler. One job
    /// delivers up to 1024 values, then yields to other work. When `limit` values are queued, `policy` applies. A limit
    /// below one counts as one.
    ///
    /// - After `dispose()` has returned on the scheduler's thread, nothing is delivered (law 1).
    /// - During a pause, the queue is kept (law 11). A failure stays in its place, unless only operators pause (law 9).
    /// - The source is released as soon as its termination is queued (law 6).
    /// - A disposed scheduler delivers nothing.
    @inlinable
    public func observe(
        on scheduler: any Scheduler,
        limit: Int = 128,
        whenFull policy: OverflowPolicy = .pauseSource
    ) -> Signal {
        Signal(start: { [start] sink, subscription in
            let input = subscription.makeChild()
            let hop = Hop(sink, subscription, input, scheduler, max(1, limit), policy)
            start(RelaySink({ hop.receive($0) }, { hop.receive(termination: $0) }), input)
        })
    }

    /// Subscribes to this signal in a job of `scheduler`. If the subscription is disposed before that, the source does
    /// not start.
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
