// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Fails with `failure` on `scheduler` if the signal has not terminated `interval` after the subscription.
    ///
    /// Values do not extend the time, and a pause does not stop it. The source is released before the failure is sent,
    /// even during a pause ([law 6](doc:LawsOfSignals)). The failure then waits behind the values that have reached
    /// this operator. With zero or less, the result fails unless the signal terminates before the scheduler runs the
    /// timer.
    @inlinable
    public func timeout(after interval: Duration, raising failure: Failure, on scheduler: any TimedScheduler) -> Signal
    {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let timed = TimedSteps(junction, interval, scheduler)
            // The timer is armed before the source starts, because `subscribe` may take long. It is armed in a step,
            // because only steps may use the alarm.
            junction.run(timed.alarm.now + interval) { deadline in
                timed.arm(at: deadline) { junction.end(.failed(failure)) }
            }
            junction.join(self, onValue: { junction.send($0) }, onTermination: { junction.end($0) })
        })
    }

    /// Fails with `failure` on `scheduler` if the signal has neither sent a value nor terminated for `interval`.
    ///
    /// The operator measures how long the source is silent. The measurement starts with the subscription, and restarts
    /// with each value when the observer has returned. The time during which the subscriber pauses does not count: a
    /// pause stops the measurement, and the resume continues it. So a subscriber that pauses repeatedly does not hide a
    /// dead source.
    ///
    /// The source is released before the failure is sent ([law 6](doc:LawsOfSignals)). A value costs two readings of
    /// the clock and arms no timer. With zero or less, the result fails as soon as the scheduler runs the timer, unless
    /// it has terminated before.
    @inlinable
    public func timeout(idle interval: Duration, raising failure: Failure, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            let idle = IdleTimeout(Junction(sink, subscription), interval, failure, scheduler)
            idle.begin()
            idle.junction.join(self, onValue: idle.receive, onTermination: { idle.junction.end($0) })
        })
    }
}

/// The time since the last value. Only steps of the ``Junction`` access it.
///
/// A timer is always armed: its closure may be the only reference to this object.
@usableFromInline
final class IdleTimeout<Value: Sendable, Failure: Error>: TimedSteps<Value, Failure> {
    @usableFromInline
    enum Silence {
        /// The source may be silent until this instant.
        case counting(until: LoopInstant)
        /// The subscriber pauses, and this much time is left.
        case paused(left: Duration)
    }

    @usableFromInline
    let failure: Failure

    @safe @exclusivity(unchecked)
    @usableFromInline
    var silence: Silence
    /// The instant at which the timer fires.
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
        self.failure = failure
        silence = .counting(until: scheduler.now + interval)
        super.init(junction, interval, scheduler)
    }

    @inlinable
    func begin() {
        // A step like every later one: a timer that fires before `schedule` has returned re-arms after this step.
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
        // The time that the observer took does not count as silence of the source.
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
        arm(at: deadline, fire)
    }

    @inlinable
    func fire() {
        let now = alarm.now
        switch silence {
        case .counting(let end) where now < end: arm(at: end)
        // A pause has begun, but its step is still queued. That step computes the time that is left.
        case .counting where !junction.subscription.isPaused: junction.end(.failed(failure))
        case .counting: arm(at: now + interval)
        // The resume re-arms the timer. Until then it must not fire, however short the interval is.
        case .paused: arm(at: .distantFuture)
        }
    }
}
