public import ReactiveCore
public import ReactiveSupport

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
            let throttle = Throttle(Junction(sink, subscription), interval, scheduler, discardWhenCompleted)
            throttle.junction.join(self, onValue: throttle.receive, onTermination: throttle.ended)
        })
    }
}

/// The value that waits in a `throttle`; it belongs to the junction's steps.
@usableFromInline
final class Throttle<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    @usableFromInline
    let interval: Duration
    @usableFromInline
    let alarm: Alarm
    @usableFromInline
    let discards: Bool

    @exclusivity(unchecked)
    @usableFromInline
    var pending: Value?
    /// When the next value may be sent.
    @exclusivity(unchecked)
    @usableFromInline
    var next = LoopInstant.distantPast
    @exclusivity(unchecked)
    @usableFromInline
    var isEnding = false

    @inlinable
    init(
        _ junction: Junction<Value, Failure>,
        _ interval: Duration,
        _ scheduler: any TimedScheduler,
        _ discards: Bool
    ) {
        self.junction = junction
        self.interval = interval
        self.discards = discards
        alarm = Alarm(scheduler, in: junction.inputs)
    }

    @inlinable
    func receive(_ value: Value) {
        let now = alarm.now
        if pending == nil, now >= next {
            next = now + interval
            return junction.send(value)
        }
        let isArmed = pending != nil
        pending = value
        guard !isArmed else { return }
        let throttle = Confined(self)
        alarm.set(at: next) { throttle.value.junction.run((), throttle.value.fire) }
    }

    @inlinable
    func fire() {
        guard let value = pending else { return }
        pending = nil
        next = alarm.now + interval
        junction.send(value)
        if isEnding { junction.end(.completed) }
    }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        if case .completed = termination, !discards, pending != nil {
            isEnding = true
        } else {
            junction.end(termination)
        }
    }
}
