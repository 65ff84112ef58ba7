import ReactiveCore
import ReactiveSupport

/// Work that waits in a test scheduler, once or again and again.
final class TestWork: Disposable {
    /// Deadline first, then the order in which it was set.
    struct Place: Comparable {
        var deadline = LoopInstant.distantFuture
        var sequence: UInt64 = 0

        static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.deadline == rhs.deadline ? lhs.sequence < rhs.sequence : lhs.deadline < rhs.deadline
        }
    }

    private struct State {
        var place = Place()
        var deadline = LoopInstant.distantFuture
        var work: (@Sendable () -> Void)?
    }

    let repetition: Repetition?
    private let scheduler: WeakScheduler
    private let state: Lock<State>

    init(_ scheduler: TestScheduler, _ repetition: Repetition?, _ work: @escaping @Sendable () -> Void) {
        self.repetition = repetition
        self.scheduler = WeakScheduler(scheduler)
        state = Lock(State(work: work))
    }

    /// Where it waits; written by the scheduler before it puts it there.
    var place: Place {
        get { state.withLock { $0.place } }
        set { state.withLock { $0.place = newValue } }
    }

    /// When it was to run, which may have passed when it was set.
    var deadline: LoopInstant {
        get { state.withLock { $0.deadline } }
        set { state.withLock { $0.deadline = newValue } }
    }

    var isDisposed: Bool { state.withLock { $0.work == nil } }

    func dispose() {
        // The closure is part of the result, so that it is released outside the lock.
        let work = state.withLock { $0.work.take() }
        if work != nil { scheduler.object?.remove(self) }
    }

    func run() {
        let work = state.withLock { state in
            repetition == nil ? state.work.take() : state.work
        }
        work?()
    }
}

/// A test scheduler that is not kept: work that somebody holds on to must not keep it.
struct WeakScheduler: Sendable {
    weak let object: TestScheduler?

    init(_ object: TestScheduler) { self.object = object }
}
