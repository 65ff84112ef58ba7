// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The queue of one `observe(on:)`. The thread on which the source sends fills it, and jobs of the scheduler drain it.
///
/// It does not use ``PausableSink``, because events also wait for the scheduler and the scheduler's job delivers them.
/// Both share `state`, whose count decides when to drop values or pause the source. `batch` is the part of the queue
/// that the running job has taken. Only that job accesses it; while no job is scheduled, the holder of the lock does.
///
/// Only the code that receives a value pauses the source, before it queues the value. Only the scheduler's job resumes
/// the source, after it has removed a value. So both agree on whether the source is paused.
@usableFromInline
final class Hop<Value: Sendable, Failure: Error> {
    @usableFromInline
    enum Work: Sendable {
        /// Nothing is queued.
        case none
        /// A job is scheduled or running.
        case scheduled
        /// Events wait for a resume. The hop retains itself until then, because a terminated source no longer retains
        /// it.
        case paused(UnsafeTransfer<Hop>)
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var backlog = Backlog<Value, Failure>()
        /// The number of values moved to the batch. With `.pauseSource`, they count until the whole batch has been
        /// delivered.
        @usableFromInline
        var batched = 0
        @usableFromInline
        var work = Work.none
        @usableFromInline
        var hasPausedSource = false

        @inlinable
        init() {}

        @inlinable
        var count: Int { backlog.count + batched }
    }

    @usableFromInline
    let next: Sink<Value, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let input: SignalSubscription
    @usableFromInline
    let scheduler: any Scheduler
    @usableFromInline
    let limit: Int
    @usableFromInline
    let policy: OverflowPolicy
    @usableFromInline
    let state = Lock(State())

    @safe @exclusivity(unchecked)
    @usableFromInline
    var batch = FIFO<Value>()

    @inlinable
    init(
        _ next: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ input: SignalSubscription,
        _ scheduler: any Scheduler,
        _ limit: Int,
        _ policy: OverflowPolicy
    ) {
        self.next = next
        self.subscription = subscription
        self.input = input
        self.scheduler = scheduler
        self.limit = limit
        self.policy = policy
        let hop = UnsafeTransfer(WeakHandle(self))
        subscription.onChange { change in
            switch change {
            case .paused: break
            case .resumed, .failuresMayPass: hop.value.object?.wake()
            case .over: hop.value.object?.discard()
            }
        }
        if LiveGraph.isOn {
            LiveGraph.measure(input) { hop.value.object.map { hop in hop.state.withLock { $0.count } } ?? 0 }
        }
    }

    @inlinable
    func receive(_ value: Value) {
        // Returned from the closure, so dropped values are released outside the lock.
        if let (isDue, _) = state.withLock({ $0.hasPausedSource || !isFull($0) ? append(value, &$0) : nil }) {
            if isDue { schedule() }
            return
        }
        input.addPause(.byQueue)
        let (isDue, _) = state.withLock { state in
            state.hasPausedSource = true
            return append(value, &state)
        }
        if isDue { schedule() }
    }

    /// Whether the source must be paused before one more value is queued.
    @inlinable
    func isFull(_ state: State) -> Bool {
        policy == .pauseSource && state.count + 1 >= limit
    }

    /// Queues a value. Returns whether to schedule a job, and the dropped events.
    @inlinable
    func append(_ value: Value, _ state: inout State) -> (isDue: Bool, dropped: [Event<Value, Failure>]) {
        guard state.backlog.end == .none else { return (false, []) }
        state.backlog.append(value)
        // A value that is being delivered is not in the queue: it is not dropped and does not count.
        let dropped =
            switch policy {
            case .pauseSource: [Event<Value, Failure>]()
            case .dropOldest: state.backlog.trim(.dropOldest(limit))
            case .dropNewest: state.backlog.trim(.dropNewest(limit))
            }
        return (becomeDue(&state, evenIfPaused: false), dropped)
    }

    @inlinable
    func receive(termination: Termination<Failure>) {
        input.dispose()
        let isDue = state.withLock { state in
            guard state.backlog.end == .none else { return false }
            state.backlog.append(termination: termination)
            return becomeDue(&state, evenIfPaused: true)
        }
        if isDue { schedule() }
    }

    /// Marks the job as scheduled, or retains the hop until the subscription is resumed. Returns whether to schedule a
    /// job.
    ///
    /// If `state.work` contains a hop, it is this one. So replacing it frees nothing under the lock.
    @inlinable
    func becomeDue(_ state: inout State, evenIfPaused: Bool) -> Bool {
        let waits = subscription.isPaused && !evenIfPaused
        switch state.work {
        case .scheduled: return false
        case .paused where waits: return false
        case .none, .paused: state.work = waits ? .paused(UnsafeTransfer(self)) : .scheduled
        }
        return !waits
    }

    @inlinable
    func schedule() {
        let hop = UnsafeTransfer(self)
        scheduler.execute { hop.value.drain() }
    }

    /// Continues after a pause.
    @inlinable
    func wake() {
        let isDue = state.withLock { state in
            state.count > 0 && becomeDue(&state, evenIfPaused: state.backlog.end == .failure)
        }
        if isDue { schedule() }
    }

    /// Drops all queued events. Leaves the batch alone while a job is scheduled, since the job owns it.
    @inlinable
    func discard() {
        _ = state.withLock { state -> ([Event<Value, Failure>], [Value]) in
            let queued = state.backlog.close()
            if case .scheduled = state.work { return (queued, []) }
            state.work = .none
            return (queued, batch.takeAll())
        }
    }
}
