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
            let (confined, expired) = (Confined(junction), Confined { junction.end(.failed(failure)) })
            // Before the source, which may take its time in `subscribe`.
            alarm.set(at: alarm.now + interval) { confined.value.run((), expired.value) }
            junction.join(self, onValue: { junction.send($0) }, onTermination: { junction.end($0) })
        })
    }

    /// Fails with `failure` if the signal neither sends nor ends for as long as `interval`, at first and after each value.
    ///
    /// A pause does not count: the source is not silent, it has been asked to wait; the time begins anew when it is resumed.
    /// The source is released then (law 6). The failure comes on `scheduler`. A value costs a look at the clock, no timer.
    @inlinable
    public func timeout(idle interval: Duration, raising failure: Failure, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            let idle = IdleTimeout(Junction(sink, subscription), interval, failure, scheduler)
            idle.begin()
            idle.junction.join(self, onValue: idle.receive, onTermination: { idle.junction.end($0) })
        })
    }
}

/// When a signal has last been heard of; it belongs to the junction's steps.
@usableFromInline
final class IdleTimeout<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let interval: Duration
    @usableFromInline
    let failure: Failure
    @usableFromInline
    let alarm: Alarm

    @exclusivity(unchecked)
    @usableFromInline
    var due: LoopInstant

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
        due = scheduler.now + interval
    }

    @inlinable
    func begin() {
        arm()
        let idle = Confined(Weak(self))
        junction.subscription.onFlowChange { isPaused in
            if !isPaused, let idle = idle.value.object { idle.junction.run((), idle.heard) }
        }
    }

    @inlinable
    func heard() { due = alarm.now + interval }

    @inlinable
    func receive(_ value: Value) {
        heard()
        junction.send(value)
        // What the observer took is not the source's silence.
        heard()
    }

    @inlinable
    func arm() {
        let idle = Confined(self)
        alarm.set(at: due) { idle.value.junction.run((), idle.value.fire) }
    }

    @inlinable
    func fire() {
        if junction.subscription.isPaused { heard() }
        if alarm.now < due { return arm() }
        junction.end(.failed(failure))
    }
}
