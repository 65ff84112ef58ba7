// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends at most `count` values in any span of `interval`. Other values wait and are sent in order, on `scheduler`.
    ///
    /// Values within the rate are sent immediately, without the scheduler. Completion waits behind the waiting values.
    /// A failure is passed on immediately. It drops the waiting values, and those that the source buffers only because
    /// of the limit ([law 9](doc:LawsOfSignals)). A value that is due during a pause is sent after the resume. The rate
    /// counts it at the time when it was due.
    ///
    /// - Parameters:
    ///   - count: The number of values per interval. Less than one counts as one.
    ///   - interval: The length of the span. With zero or less, no value waits.
    ///   - scheduler: The scheduler that sends values that had to wait.
    ///   - limit: The number of waiting values at which the source is paused, until at most half of them are left. Less
    ///     than one counts as one.
    @inlinable
    public func rateLimit(
        _ count: Int,
        per interval: Duration,
        on scheduler: any TimedScheduler,
        limit: Int = 16
    ) -> Signal {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let input = junction.inputs.makeChild()
            let backPressure = BackPressure(input, limit, .byOperator)
            let limiter = RateLimit(junction, backPressure, max(1, count), interval, scheduler)
            let (received, ended) = (limiter.receive, limiter.ended)
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

/// The waiting values, and the instants of the last sends. Only steps of the ``Junction`` access it.
@usableFromInline
final class RateLimit<Value: Sendable, Failure: Error>: TimedSteps<Value, Failure> {
    @usableFromInline
    let backPressure: BackPressure
    @usableFromInline
    let count: Int

    @safe @exclusivity(unchecked)
    @usableFromInline
    var waiting = FIFO<Value>()
    /// The instants at which values were sent within the last interval, oldest first.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var sent = FIFO<LoopInstant>()
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isArmed = false
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isEnding = false

    @inlinable
    init(
        _ junction: Junction<Value, Failure>,
        _ backPressure: BackPressure,
        _ count: Int,
        _ interval: Duration,
        _ scheduler: any TimedScheduler
    ) {
        self.backPressure = backPressure
        self.count = count
        super.init(junction, interval, scheduler)
    }

    @inlinable
    func receive(_ value: Value) {
        waiting.append(value)
        if !isArmed { proceed() }
    }

    @inlinable
    func proceed() {
        isArmed = false
        while !waiting.isEmpty {
            let now = alarm.now
            // Sends that no longer count are forgotten, so the memory depends on the rate and not on `count`.
            while let oldest = sent.first, oldest + interval <= now { _ = sent.popFirst() }
            if sent.count >= count, let oldest = sent.first {
                isArmed = true
                return arm(at: oldest + interval, proceed)
            }
            sent.append(now)
            guard let value = waiting.popFirst() else { return }
            junction.send(value)
            backPressure.taken()
        }
        if isEnding { junction.end(.completed) }
    }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        if case .completed = termination, !waiting.isEmpty {
            isEnding = true
        } else {
            _ = waiting.takeAll()
            junction.end(termination)
        }
    }
}
