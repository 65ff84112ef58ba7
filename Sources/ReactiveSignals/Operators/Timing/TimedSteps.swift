// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The common part of the operators that have one timer. Only steps of the ``Junction`` access it.
///
/// No member can be overridden: the compiler never specialises a generic method that is called through its superclass
/// (``RelaySink``).
@usableFromInline
class TimedSteps<Value: Sendable, Failure: Error> {
    @usableFromInline
    final let junction: Junction<Value, Failure>
    @usableFromInline
    final let interval: Duration
    @usableFromInline
    final let alarm: Alarm

    @inlinable
    init(_ junction: Junction<Value, Failure>, _ interval: Duration, _ scheduler: any TimedScheduler) {
        self.junction = junction
        self.interval = interval
        alarm = Alarm(scheduler, in: junction.inputs)
    }

    /// Runs `step` at `deadline`. The previous timer is disposed, unless it has begun.
    @inlinable
    final func arm(at deadline: LoopInstant, _ step: @escaping () -> Void) {
        let (junction, step) = (UnsafeTransfer(junction), UnsafeTransfer(step))
        alarm.set(at: deadline) { junction.value.run((), step.value) }
    }
}
