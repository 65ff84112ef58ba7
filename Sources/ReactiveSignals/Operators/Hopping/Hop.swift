public import ReactiveCore
public import ReactiveSupport

/// The queue of one `observe(on:)`: filled on the source's side, emptied as work of the scheduler.
///
/// No ``PausableSink``: here events wait for the scheduler too, and its work, not the sender, delivers them. So both sides share the queue
/// and its count, by which values are dropped or the source is paused. `state` is shared by both sides. `batch` belongs to the work that is
/// scheduled; while none is, to whoever holds the lock. Only the source's side pauses the source, before the value is queued, and only the
/// other side resumes it, after: so the two are never out of step.
@usableFromInline
final class Hop<Value: Sendable, Failure: Error> {
    @usableFromInline
    enum Work: Sendable {
        /// Nothing is queued.
        case none
        /// Work of the scheduler is due or running.
        case scheduled
        /// Events wait for a resume. The hop keeps itself until then: its source may have ended and released it.
        case paused(UnsafeTransfer<Hop>)
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var backlog = Backlog<Value, Failure>()
        /// How many have been taken into the batch; where the source is held back they count until the batch is through.
        @usableFromInline
        var batched = 0
        @usableFromInline
        var work = Work.none
        @usableFromInline
        var isHoldingBack = false

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
    func append(_ value: Value, _ state: inout State) -> (isDue: Bool, dropped: [Event<Value, Failure>]) {
        guard state.backlog.end == .none else { return (false, []) }
        state.backlog.append(value)
        // What is being delivered does not wait: it cannot be dropped, and does not count.
        let dropped =
            switch policy {
            case .holdBack: [Event<Value, Failure>]()
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

    /// Marks the work as scheduled, or keeps the hop alive until the subscription is resumed.
    ///
    /// The hop that is replaced in `state.work` is the one that runs this, so it is not freed under the lock.
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

    /// Goes on after a pause.
    @inlinable
    func wake() {
        let isDue = state.withLock { state in
            state.count > 0 && becomeDue(&state, evenIfPaused: state.backlog.end == .failure)
        }
        if isDue { schedule() }
    }

    /// Forgets everything; the batch only where nobody is working on it.
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
