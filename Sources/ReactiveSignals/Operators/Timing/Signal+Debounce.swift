public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends a value on `scheduler` when `interval` has passed since it came and no other one has.
    ///
    /// When the signal completes, the value that waits is sent at once, before the end, or dropped where
    /// `discardWhenCompleted` says so. A failure passes at once and drops it (law 9). One timer serves all values.
    @inlinable
    public func debounce(
        _ interval: Duration,
        on scheduler: any TimedScheduler,
        discardWhenCompleted: Bool = false
    ) -> Signal {
        Signal(start: { sink, subscription in
            let debounce = Debounce(Junction(sink, subscription), interval, scheduler, discardWhenCompleted)
            debounce.junction.join(self, onValue: debounce.receive, onTermination: debounce.ended)
        })
    }
}

/// The value that waits in a `debounce`; it belongs to the junction's steps.
@usableFromInline
final class Debounce<Value: Sendable, Failure: Error> {
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
    @exclusivity(unchecked)
    @usableFromInline
    var due = LoopInstant.distantPast
    @exclusivity(unchecked)
    @usableFromInline
    var isArmed = false

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
        pending = value
        due = alarm.now + interval
        // A timer that is set already looks, when it fires, whether it is time.
        if !isArmed { arm() }
    }

    @inlinable
    func arm() {
        isArmed = true
        let debounce = Confined(self)
        alarm.set(at: due) { debounce.value.junction.run((), debounce.value.fire) }
    }

    @inlinable
    func fire() {
        isArmed = false
        guard let value = pending else { return }
        if alarm.now < due { return arm() }
        pending = nil
        junction.send(value)
    }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        if case .completed = termination, !discards, let value = pending { junction.send(value) }
        pending = nil
        junction.end(termination)
    }
}
