// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Work that waits in a test scheduler, to run once or repeatedly.
final class TestWork: Disposable {
    /// The sort key: the deadline, then the order of submission.
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

    /// The position in the list. The scheduler sets it before it inserts the work.
    var place: Place {
        get { state.withLock { $0.place } }
        set { state.withLock { $0.place = newValue } }
    }

    /// The requested deadline, which may have passed at submission.
    var deadline: LoopInstant {
        get { state.withLock { $0.deadline } }
        set { state.withLock { $0.deadline = newValue } }
    }

    var isDisposed: Bool { state.withLock { $0.work == nil } }

    func dispose() {
        // The result includes the closure, so that it is released outside the lock.
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

/// A weak reference to a test scheduler: a handle to work must not retain the scheduler.
struct WeakScheduler: Sendable {
    weak let object: TestScheduler?

    init(_ object: TestScheduler) { self.object = object }
}
