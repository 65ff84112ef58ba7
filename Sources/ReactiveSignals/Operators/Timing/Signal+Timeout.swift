public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Fails with `failure` if the signal has not ended `interval` after it was subscribed to; values do not help.
    ///
    /// The source is released then, also during a pause (law 6). The failure comes on `scheduler`.
    @inlinable
    public func timeout(after interval: Duration, raising failure: Failure, on scheduler: any TimedScheduler) -> Signal
    {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let alarm = Alarm(scheduler, in: junction.inputs)
            let (confined, expired) = (UnsafeTransfer(junction), UnsafeTransfer { junction.end(.failed(failure)) })
            // Before the source, which may take its time in `subscribe`. It is a step, like everything that touches the alarm.
            junction.run(alarm.now + interval) { deadline in
                alarm.set(at: deadline) { confined.value.run((), expired.value) }
            }
            junction.join(self, onValue: { junction.send($0) }, onTermination: { junction.end($0) })
        })
    }

    /// Fails with `failure` on `scheduler` when the signal has neither sent a value nor terminated for `interval`.
    ///
    /// The operator measures the silence of the source: from the subscription, and from each value once the observer has returned. Time
    /// during which the subscriber pauses is not silence, since the source has been asked to wait. A pause stops the measurement, and the
    /// resume continues it with the time that was left. So a subscriber that pauses again and again does not hide a dead source. The
    /// source is released before the failure is sent (law 6). A value costs a look at the clock and sets no timer.
    @inlinable
    public func timeout(idle interval: Duration, raising failure: Failure, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            let idle = IdleTimeout(Junction(sink, subscription), interval, failure, scheduler)
            idle.begin()
            idle.junction.join(self, onValue: idle.receive, onTermination: { idle.junction.end($0) })
        })
    }
}

/// How long a signal has been silent; it belongs to the junction's steps.
///
/// A timer is set at all times: it may be all that keeps the operator.
@usableFromInline
final class IdleTimeout<Value: Sendable, Failure: Error> {
    @usableFromInline
    enum Silence {
        /// It is too long at that instant.
        case counting(until: LoopInstant)
        /// The subscriber pauses, and so much is left.
        case paused(left: Duration)
    }

    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let interval: Duration
    @usableFromInline
    let failure: Failure
    @usableFromInline
    let alarm: Alarm

    @safe @exclusivity(unchecked)
    @usableFromInline
    var silence: Silence
    /// When the timer fires.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var armed = LoopInstant.distantFuture

    @inlinable
    init(
        _ junction: Junction<Value, Failure>,
        _ interval: Duration,
        _ failure: Failure,
        _ scheduler: any TimedScheduler
    ) {
        self.junction = junction
        self.interval = interval
        self.failure = failure
        alarm = Alarm(scheduler, in: junction.inputs)
        silence = .counting(until: scheduler.now + interval)
    }

    @inlinable
    func begin() {
        // A step like every later one: a timer that fires before `schedule` has returned is set again after it.
        junction.run(alarm.now + interval, arm)
        let idle = UnsafeTransfer(Weak(self))
        junction.subscription.onFlowChange { isPaused in
            guard let idle = idle.value.object else { return }
            idle.junction.run(idle.alarm.now, isPaused ? idle.pause : idle.resume)
        }
    }

    @inlinable
    func heard() {
        switch silence {
        case .counting: silence = .counting(until: alarm.now + interval)
        case .paused: silence = .paused(left: interval)
        }
    }

    @inlinable
    func receive(_ value: Value) {
        heard()
        junction.send(value)
        // What the observer took is not the source's silence.
        heard()
    }

    @inlinable
    func pause(at instant: LoopInstant) {
        guard case .counting(let end) = silence else { return }
        silence = .paused(left: min(interval, max(.zero, end - instant)))
    }

    @inlinable
    func resume(at instant: LoopInstant) {
        guard case .paused(let left) = silence else { return }
        let end = instant + left
        silence = .counting(until: end)
        if end < armed { arm(at: end) }
    }

    @inlinable
    func arm(at deadline: LoopInstant) {
        armed = deadline
        let idle = UnsafeTransfer(self)
        alarm.set(at: deadline) { idle.value.junction.run((), idle.value.fire) }
    }

    @inlinable
    func fire() {
        let now = alarm.now
        switch silence {
        case .counting(let end) where now < end: arm(at: end)
        // Where a pause is in force whose step has yet to come, that step says how much is left.
        case .counting where !junction.subscription.isPaused: junction.end(.failed(failure))
        case .counting: arm(at: now + interval)
        // The resume sets it to what is left. Until then it does not fire, however short the interval is.
        case .paused: arm(at: .distantFuture)
        }
    }
}
