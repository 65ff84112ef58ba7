public import ReactiveCore
import ReactiveSupport

/// A scheduler in virtual time: nothing runs and no time passes until a test says so.
///
/// Work and timers wait in one list, ordered by deadline, then by when they were set; work given without a deadline is due
/// at the instant it was given. ``advance(by:limit:)`` and its siblings run what is due, on the thread that calls them, and
/// move ``now`` from deadline to deadline; when they return nothing that is due is left. What is set meanwhile runs in the
/// same call if it is due by its target. Nothing sleeps or yields. Any thread may schedule; one at a time may advance. It is
/// `current` while it runs work. Work that is still there when the scheduler is let go of is dropped.
public final class TestScheduler: TimedScheduler {
    struct State {
        var now = LoopInstant(nanoseconds: 0)
        var lastSequence: UInt64 = 0
        /// What waits, the next one last, so that taking it out is cheap.
        var waiting: [TestWork] = []
        var isAdvancing = false
    }

    /// How much time one character of a marble string stands for.
    public let frame: Duration

    let state = Lock(State())
    let mark = CurrentScheduler.Mark()

    /// Makes a scheduler whose clock stands at zero. `frame` is for marble strings.
    public init(frame: Duration = .seconds(1)) {
        precondition(frame > .zero, "a frame of a marble string must take some time")
        self.frame = frame
        mark.attach(self)
    }

    deinit {
        // What waits is over, and its handles say so. Nobody else can reach the list any more.
        let waiting = state.withLock { $0.waiting }
        for work in waiting { work.dispose() }
    }

    /// The virtual instant: zero at first, during work the deadline of that work.
    public var now: LoopInstant { state.withLock { $0.now } }

    /// Whether the caller is work of this scheduler's (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// Whether nothing waits, neither work nor timers.
    public var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Runs `work` at the present instant, after what is there for it; in the next call that advances.
    public func execute(_ work: @escaping @Sendable () -> Void) { _ = schedule(work) }

    /// Runs `work` at the present instant, unless the result is disposed first.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        insert(TestWork(self, nil, work), at: nil)
    }

    /// Runs `work` at `deadline`, or at the present instant where that has passed. There is no leeway in virtual time.
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        insert(TestWork(self, nil, work), at: deadline)
    }

    /// Runs `work` at `first` and then as `repetition` says; it is set again when the work has returned.
    ///
    /// An interval of zero never lets time pass: the call that advances ends with a ``TestSchedulerError``.
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
            // One that has passed is due now, behind what is there for now (rule T5); a grid goes on from what was said.
            let deadline = deadline ?? state.now
            work.place = TestWork.Place(deadline: max(deadline, state.now), sequence: state.lastSequence)
            work.deadline = deadline
            state.waiting.insert(work, at: state.index(of: work.place))
        }
        return work
    }

    /// Takes out work that has been disposed, so that it does not count as waiting.
    func remove(_ work: TestWork) {
        _ = state.withLock { state -> TestWork? in
            let index = state.index(of: work.place)
            guard index < state.waiting.count, state.waiting[index] === work else { return nil }
            return state.waiting.remove(at: index)
        }
    }
}

extension TestScheduler.State {
    /// Where work of that place is, or belongs: everything before it is later.
    func index(of place: TestWork.Place) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if place < waiting[middle].place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
