// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends the values in arrays of up to `count`. An array that is not full is sent on `scheduler` when `interval`
    /// has passed since its first value.
    ///
    /// A full array is sent immediately, without the scheduler. An array is never empty. When the signal completes, the
    /// rest is sent immediately. A failure is passed on immediately and drops the rest ([law 9](doc:LawsOfSignals)). An
    /// array that is due during a pause is sent after the resume.
    ///
    /// - Parameters:
    ///   - interval: The maximum time that the first value of an array waits. A negative duration counts as zero.
    ///   - count: The number of values of a full array. Less than one counts as one.
    ///   - scheduler: The scheduler that sends arrays that are not full.
    @inlinable
    public func collect(
        every interval: Duration,
        count: Int = .max,
        on scheduler: any TimedScheduler
    ) -> Signal<[Value], Failure> {
        Signal<[Value], Failure>(start: { sink, subscription in
            let collecting = CollectEvery<Value, Failure>(Junction(sink, subscription), interval, count, scheduler)
            collecting.junction.join(self, onValue: collecting.receive, onTermination: collecting.ended)
        })
    }
}

/// The values of the next array. Only steps of the ``Junction`` access it.
@usableFromInline
final class CollectEvery<Value: Sendable, Failure: Error>: TimedSteps<[Value], Failure> {
    @usableFromInline
    let count: Int

    @safe @exclusivity(unchecked)
    @usableFromInline
    var values: [Value] = []
    @safe @exclusivity(unchecked)
    @usableFromInline
    var due = LoopInstant.distantFuture

    @inlinable
    init(
        _ junction: Junction<[Value], Failure>,
        _ interval: Duration,
        _ count: Int,
        _ scheduler: any TimedScheduler
    ) {
        self.count = count
        super.init(junction, interval, scheduler)
    }

    @inlinable
    func receive(_ value: Value) {
        values.append(value)
        if values.count >= count { return flush() }
        guard values.count == 1 else { return }
        due = alarm.now + interval
        // Not `arm`, which would allocate the step even if the array is full first.
        let collecting = UnsafeTransfer(self)
        alarm.set(at: due) { collecting.value.junction.run((), collecting.value.fire) }
    }

    @inlinable
    func fire() {
        // The timer of an array that has been sent may already have fired.
        if !values.isEmpty, alarm.now >= due { flush() }
    }

    @inlinable
    func flush() {
        let full = values
        values = []
        alarm.cancel()
        junction.send(full)
    }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        if case .completed = termination, !values.isEmpty { flush() }
        values = []
        junction.end(termination)
    }
}
