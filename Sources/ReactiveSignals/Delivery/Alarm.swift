public import ReactiveCore

/// The one timer of an operator: setting it again replaces it, and it goes with its subscription.
@usableFromInline
final class Alarm: Sendable {
    @usableFromInline
    let scheduler: any TimedScheduler
    private let timer = SerialDisposable()

    @usableFromInline
    init(_ scheduler: any TimedScheduler, in subscription: SignalSubscription) {
        self.scheduler = scheduler
        let timer = timer
        subscription.onDispose { timer.dispose() }
    }

    @usableFromInline
    var now: LoopInstant { scheduler.now }

    /// Calls `action` at `deadline`, as the scheduler's work; what was set before is disposed, unless it has begun.
    ///
    /// Call it from the steps of one junction only. The timer may fire before `schedule` has returned; if its action then set the alarm on
    /// another thread, this call would take the newer timer's place and dispose it.
    @usableFromInline
    func set(at deadline: LoopInstant, _ action: @escaping @Sendable () -> Void) {
        // What is over sets no timer: there is nobody left to dispose it.
        if !timer.isDisposed { timer.inner = scheduler.schedule(at: deadline, options: TimerOptions(), action) }
    }

    @usableFromInline
    func cancel() { timer.inner = nil }
}
