public import ReactiveCore
public import ReactiveSupport

/// The queue of one `observe(on:)`: filled on the source's side, emptied as work of the scheduler.
///
/// `state` is shared by both sides. `batch` belongs to the work that is scheduled; while none is, to whoever holds the
/// lock. Only the source's side takes a hold on the source, before the value is queued, and only the other side gives it
/// back, after: so the two are never out of step.
@usableFromInline
final class Hop<Value: Sendable, Failure: Error> {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var queue = FIFO<Event<Value, Failure>>()
        /// How many have been taken into the batch; where the source is held back they count until the batch is through.
        @usableFromInline
        var batched = 0
        @usableFromInline
        var isScheduled = false
        @usableFromInline
        var end = Backlog<Value, Failure>.End.none
        @usableFromInline
        var isHoldingBack = false
        /// The hop itself while it waits for a resume: its source may have finished, and let go of it.
        @usableFromInline
        var anchor: Confined<Hop>?

        @inlinable
        init() {}

        @inlinable
        var count: Int { queue.count + batched }
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

    @exclusivity(unchecked)
    @usableFromInline
    var batch = FIFO<Event<Value, Failure>>()

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
        let hop = Confined(WeakHandle(self))
        subscription.onChange { change in
            switch change {
            case .paused: break
            case .resumed, .eased: hop.value.object?.wake()
            case .over: hop.value.object?.discard()
            }
        }
        if LiveGraph.isOn {
            LiveGraph.measure(input) { hop.value.object.map { hop in hop.state.withLock { $0.count } } ?? 0 }
        }
    }

    @inlinable
    func receive(_ value: Value) {
        // What is dropped is part of the result, so that it is released outside the lock.
        if let (isDue, _) = state.withLock({ $0.isHoldingBack || !isFull($0) ? append(value, &$0) : nil }) {
            if isDue { schedule() }
            return
        }
        input.hold(.byQueue)
        let (isDue, _) = state.withLock { state in
            state.isHoldingBack = true
            return append(value, &state)
        }
        if isDue { schedule() }
    }

    /// Whether the source is to be held back before one more value is queued.
    @inlinable
    func isFull(_ state: State) -> Bool {
        policy == .holdBack && state.count + 1 >= limit
    }

    /// Queues a value; says whether the work is to be scheduled, and gives back what is dropped.
    @inlinable
    func append(_ value: Value, _ state: inout State) -> (isDue: Bool, dropped: Event<Value, Failure>?) {
        guard state.end == .none else { return (false, nil) }
        var dropped: Event<Value, Failure>?
        // What is being delivered does not wait: it cannot be dropped, and does not count.
        if policy != .holdBack, state.queue.count >= limit {
            if policy == .dropNewest { return (false, nil) }
            dropped = state.queue.popFirst()
        }
        state.queue.append(.value(value))
        return (becomeDue(&state, evenIfPaused: false), dropped)
    }

    @inlinable
    func receive(termination: Termination<Failure>) {
        input.dispose()
        let isDue = state.withLock { state in
            guard state.end == .none else { return false }
            if case .failed = termination { state.end = .failure } else { state.end = .completion }
            state.queue.append(.ended(termination))
            return becomeDue(&state, evenIfPaused: true)
        }
        if isDue { schedule() }
    }

    /// Marks it as scheduled if it is to be, and otherwise sees to it that it lives until it is resumed.
    @inlinable
    func becomeDue(_ state: inout State, evenIfPaused: Bool) -> Bool {
        if state.isScheduled { return false }
        if subscription.isPaused, !evenIfPaused {
            state.anchor = Confined(self)
            return false
        }
        state.isScheduled = true
        return true
    }

    @inlinable
    func schedule() {
        let hop = Confined(self)
        scheduler.execute { if hop.value.policy == .holdBack { hop.value.drain() } else { hop.value.drainSingly() } }
    }

    /// Goes on after a pause.
    @inlinable
    func wake() {
        let (isDue, _) = state.withLock { state -> (Bool, Confined<Hop>?) in
            guard state.count > 0, becomeDue(&state, evenIfPaused: state.end == .failure) else { return (false, nil) }
            return (true, state.anchor.take())
        }
        if isDue { schedule() }
    }

    /// Forgets everything; the batch only where nobody is working on it.
    @inlinable
    func discard() {
        _ = state.withLock { state -> ([Event<Value, Failure>], [Event<Value, Failure>], Confined<Hop>?) in
            if state.end == .none { state.end = .completion }
            let rest = state.isScheduled ? [] : batch.takeAll()
            return (state.queue.takeAll(), rest, state.anchor.take())
        }
    }
}
