// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The one timer of an operator. Setting it again replaces it, and the subscription's end disposes it.
@usableFromInline
final class Alarm: Sendable {
    @usableFromInline
    let scheduler: any TimedScheduler
    private let timer = SerialDisposable()

    @usableFromInline
    init(_ scheduler: any TimedScheduler, in subscription: SignalSubscription) {
        self.scheduler = subscription.carrying(scheduler)
        let timer = timer
        subscription.onDispose { timer.dispose() }
    }

    @usableFromInline
    var now: LoopInstant { scheduler.now }

    /// Calls `action` at `deadline`, as work of the scheduler. The previous timer is disposed, unless it has begun.
    ///
    /// Call it only in steps of one junction. Otherwise two calls can
    /// race: an action that runs before `schedule` has returned could set a newer timer, which this call would then
    /// dispose.
    @usableFromInline
    func set(at deadline: LoopInstant, _ action: @escaping @Sendable () -> Void) {
        // A timer that is set after the subscription's end would be disposed immediately.
        if !timer.isDisposed { timer.inner = scheduler.schedule(at: deadline, options: TimerOptions(), action) }
    }

    @usableFromInline
    func cancel() { timer.inner = nil }
}
