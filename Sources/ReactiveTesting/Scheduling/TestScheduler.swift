// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A scheduler in virtual time: nothing runs and no time passes until a test advances the clock.
///
/// Work and timers wait in one list, ordered by deadline, then by submission. Work without a deadline is due at the
/// instant of its submission. ``advance(by:limit:)``, ``advance(to:limit:)``, ``run(limit:)`` and ``step()`` run the
/// work that is due, on the calling thread, and move ``now`` from deadline to deadline. Work submitted during such a
/// call runs in the same call if it is due by the target. Nothing sleeps or yields.
///
/// Any thread may submit work; only one at a time may advance the clock. The scheduler is the current one while it runs
/// work. When the scheduler is released, it drops the remaining work.
///
/// Work that waits may retain an ``EventRecorder``, which retains the scheduler. So a test that ends before the clock
/// has reached the last event leaks all three, unless it disposes the recorder's subscription.
public final class TestScheduler: TimedScheduler {
    struct State {
        var now = LoopInstant(nanoseconds: 0)
        var lastSequence: UInt64 = 0
        /// The waiting work. The next item is the last element, so that removing it is cheap.
        var waiting: [TestWork] = []
        var isAdvancing = false
    }

    /// The virtual time of one frame of a marble line.
    public let frame: Duration

    let state = Lock(State())
    let mark = CurrentScheduler.Mark()

    /// Creates a scheduler whose clock is at zero. `frame` is the virtual time of one frame of a marble line, rounded
    /// to the nearest nanosecond. Less than half a nanosecond traps.
    public init(frame: Duration = .seconds(1)) {
        self.frame = frame.roundedToNanosecond
        require(self.frame > .zero, "a frame of a marble line must take at least a nanosecond, not \(frame)")
        mark.attach(self)
    }

    deinit {
        // Disposes the waiting work, so that its handles report that. No other thread can access the list any more.
        let waiting = state.withLock { $0.waiting }
        for work in waiting { work.dispose() }
    }

    /// The current virtual instant. It begins at zero. During work, it is the instant at which that work is due.
    public var now: LoopInstant { state.withLock { $0.now } }

    /// Whether the caller is work of this scheduler (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// Whether no work and no timer waits.
    public var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Runs `work` at the current instant, after the other work for that instant, when the test next advances the
    /// clock.
    public func execute(_ work: @escaping @Sendable () -> Void) { _ = schedule(work) }

    /// Runs `work` at the current instant, unless the result is disposed first.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        insert(TestWork(self, nil, work), at: nil)
    }

    /// Runs `work` at `deadline`, or at the current instant if `deadline` has passed. Options have no effect in virtual
    /// time.
    @discardableResult
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        insert(TestWork(self, nil, work), at: deadline)
    }

    /// Runs `work` at `first`, and then repeatedly as `repetition` specifies. The timer is re-armed when the work has
    /// returned. Options have no effect.
    ///
    /// With an interval of zero no time passes: the call that advances the clock throws a ``TestSchedulerError``.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        insert(TestWork(self, repetition, work), at: first)
    }

    func insert(_ work: TestWork, at deadline: LoopInstant?) -> TestWork {
        state.withLock { state in
            state.lastSequence += 1
            // Work whose deadline has passed is due now, after the other work that is due now (rule T5). The next
            // firings count from the original deadline.
            let requested = deadline ?? state.now
            let deadline = max(requested, state.now)
            work.position = TestWork.Position(deadline: deadline, sequence: state.lastSequence, requested: requested)
            state.waiting.insert(work, at: state.index(of: work.position))
        }
        return work
    }

    /// Removes disposed work, so that it does not count as waiting.
    func remove(_ work: TestWork) {
        _ = state.withLock { state -> TestWork? in
            let index = state.index(of: work.position)
            guard index < state.waiting.count, state.waiting[index] === work else { return nil }
            return state.waiting.remove(at: index)
        }
    }
}

extension TestScheduler.State {
    /// The index of work with this position, or the index at which to insert it: everything before that index is later.
    func index(of position: TestWork.Position) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if position < waiting[middle].position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
