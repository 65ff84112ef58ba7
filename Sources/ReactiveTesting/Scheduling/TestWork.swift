// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Work that waits in a test scheduler, to run once or repeatedly.
final class TestWork: Disposable {
    /// The times of the work. It is sorted by the deadline, then by the order of submission.
    struct Position: Comparable {
        var deadline = LoopInstant.distantFuture
        var sequence: UInt64 = 0
        /// The requested deadline, which may have passed at submission. It does not affect the order.
        var requested = LoopInstant.distantFuture

        static func < (lhs: Position, rhs: Position) -> Bool {
            lhs.deadline == rhs.deadline ? lhs.sequence < rhs.sequence : lhs.deadline < rhs.deadline
        }
    }

    private struct State {
        var position = Position()
        var work: (@Sendable () -> Void)?
    }

    let repetition: Repetition?
    /// A handle to work must not retain the scheduler.
    private weak let scheduler: TestScheduler?
    private let state: Lock<State>

    init(_ scheduler: TestScheduler, _ repetition: Repetition?, _ work: @escaping @Sendable () -> Void) {
        self.repetition = repetition
        self.scheduler = scheduler
        state = Lock(State(work: work))
    }

    /// The position in the list. The scheduler sets it before it inserts the work.
    var position: Position {
        get { state.withLock { $0.position } }
        set { state.withLock { $0.position = newValue } }
    }

    var isDisposed: Bool { state.withLock { $0.work == nil } }

    func dispose() {
        // The result includes the closure, so that it is released outside the lock.
        let work = state.withLock { $0.work.take() }
        if work != nil { scheduler?.remove(self) }
    }

    func run() {
        let work = state.withLock { state in
            repetition == nil ? state.work.take() : state.work
        }
        work?()
    }
}
