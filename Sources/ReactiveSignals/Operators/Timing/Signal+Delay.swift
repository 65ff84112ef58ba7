// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends each value and the completion `interval` later, on `scheduler`.
    ///
    /// A failure is passed on immediately. It drops the delayed values, and those that the source buffers only because
    /// of the limit ([law 9](doc:LawsOfSignals)). A completed source is released immediately. A value that is due
    /// during a pause is sent after the resume.
    ///
    /// - Parameters:
    ///   - interval: The delay of each value and of the completion. A negative duration counts as zero, which still
    ///     sends on `scheduler`.
    ///   - scheduler: The scheduler that sends the delayed events.
    ///   - limit: The number of delayed values at which the source is paused, until at most half of them are left. Less
    ///     than one counts as one.
    @inlinable
    public func delay(_ interval: Duration, on scheduler: any TimedScheduler, limit: Int = 1024) -> Signal {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let input = junction.inputs.makeChild()
            let backPressure = BackPressure(input, limit, .byOperator)
            let delay = Delay(junction, backPressure, interval, scheduler)
            let (received, ended) = (delay.receive, delay.ended)
            relay(
                in: input,
                { value in
                    backPressure.arrived()
                    junction.run(value, received)
                },
                { termination in if input.end() { junction.run(termination, ended) } }
            )
        })
    }
}

/// The delayed events. Only steps of the ``Junction`` access it.
@usableFromInline
final class Delay<Value: Sendable, Failure: Error>: TimedSteps<Value, Failure> {
    @usableFromInline
    let backPressure: BackPressure

    @safe @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<(due: LoopInstant, event: Event<Value, Failure>)>()

    @inlinable
    init(
        _ junction: Junction<Value, Failure>,
        _ backPressure: BackPressure,
        _ interval: Duration,
        _ scheduler: any TimedScheduler
    ) {
        self.backPressure = backPressure
        super.init(junction, interval, scheduler)
    }

    @inlinable
    func receive(_ value: Value) { add(.value(value)) }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        switch termination {
        case .completed: add(.ended(termination))
        case .failed:
            _ = waiting.takeAll()
            junction.end(termination)
        }
    }

    @inlinable
    func add(_ event: Event<Value, Failure>) {
        waiting.append((alarm.now + interval, event))
        if waiting.count == 1 { arm() }
    }

    @inlinable
    func arm() {
        if let next = waiting.first { arm(at: next.due, fire) }
    }

    @inlinable
    func fire() {
        let now = alarm.now
        while let next = waiting.first, next.due <= now {
            _ = waiting.popFirst()
            switch next.event {
            case .value(let value):
                junction.send(value)
                backPressure.taken()
            case .ended(let termination): junction.end(termination)
            }
        }
        arm()
    }
}
