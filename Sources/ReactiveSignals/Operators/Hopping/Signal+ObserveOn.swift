// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Delivers all events on `scheduler`, in order: values, completion and failure ([law 7](doc:LawsOfSignals)).
    ///
    /// Events are queued and delivered by a job of the scheduler, even if the source sends on that scheduler. One job
    /// delivers up to 1024 values, then yields to other work.
    ///
    /// - After `dispose()` has returned on the scheduler's thread, nothing is delivered.
    /// - During a pause, the queue is kept. A failure stays behind the queued values. Exception: if only a later
    ///   operator pauses, and not the subscriber, the failure is sent and the values are dropped
    ///   ([law 9](doc:LawsOfSignals)).
    /// - The source is released as soon as its termination is queued.
    /// - A disposed scheduler delivers nothing, not even a termination.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that delivers the events. Even if it runs several jobs at a time, it delivers one
    ///     event at a time.
    ///   - limit: The number of queued values at which `policy` applies. Less than one counts as one.
    ///   - policy: The policy at the limit. With the policies that drop values, the source is never paused for a full
    ///     queue.
    @inlinable
    public func observe(
        on scheduler: any Scheduler,
        limit: Int = 128,
        whenFull policy: OverflowPolicy = .pauseSource
    ) -> Signal {
        Signal(start: { sink, subscription in
            let input = subscription.makeChild()
            let hop = Hop(sink, subscription, input, subscription.carrying(scheduler), max(1, limit), policy)
            relay(in: input, { hop.receive($0) }, { hop.receive(termination: $0) })
        })
    }

    /// Subscribes to this signal in a job of `scheduler`. Events arrive on the thread on which the source sends them.
    ///
    /// If the subscription is disposed before the job runs, the source does not start. On a disposed scheduler the
    /// source never starts, and the result sends nothing.
    @inlinable
    public func subscribe(on scheduler: any Scheduler) -> Signal {
        Signal(start: { [start] sink, subscription in
            let sink = UnsafeTransfer(sink)
            let work = subscription.carrying(scheduler).schedule {
                if !subscription.isDisposed { start(sink.value, subscription) }
            }
            if !work.isDisposed { subscription.onDispose { work.dispose() } }
        })
    }
}
