// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// The timers of one queue, and one dispatch timer that is set to the first deadline.
///
/// libdispatch fires timers with equal deadlines in any order. These timers follow the rules of the loops (T6, T7, S12,
/// T15).
final class QueueTimers: Sendable {
    private struct State {
        let source: any DispatchSourceTimer
        let timers = DeadlineQueue<QueueTimer>()
        var nextSequence: UInt64 = 0
        var armed = LoopInstant.distantFuture
    }

    private let state: Lock<State>

    init(_ queue: DispatchQueue) {
        state = Lock(State(source: DispatchSource.makeTimerSource(flags: .strict, queue: queue)))
        state.withLock { state in
            state.source.setEventHandler { [weak self] in self?.fire() }
            state.source.schedule(deadline: .distantFuture)
            state.source.activate()
        }
    }

    // libdispatch calls no handler in these calls.
    deinit { state.withLock { state in state.source.cancel() } }

    func add(_ timer: QueueTimer) -> any Disposable {
        state.withLock { state in
            insert(timer, &state)
            arm(&state)
        }
        return timer
    }

    func remove(_ timer: QueueTimer) {
        _ = state.withLock { state in state.timers.remove(timer) }
    }

    private func fire() {
        let now = MonotonicClock().now
        let (firstNew, due) = state.withLock { state in
            state.armed = .distantFuture
            return (state.nextSequence, state.timers.nextDeadline.map { $0 <= now } ?? false)
        }
        var waiting: [(QueueTimer, UInt64)] = []
        while due, let (timer, sequence) = state.withLock({ $0.timers.popFirst(dueAt: now) }) {
            // This timer was added while others fired, so it waits for the next call of `fire`.
            if sequence >= firstNew {
                waiting.append((timer, sequence))
            } else if timer.fire(), let repetition = timer.repetition {
                state.withLock { state in
                    timer.deadline = repetition.next(after: timer.deadline, now: MonotonicClock().now)
                    insert(timer, &state)
                }
                // If another thread disposed the timer before `insert`, its `remove` did not find the timer.
                if timer.isDisposed { remove(timer) }
            }
        }
        state.withLock { state in
            for (timer, sequence) in waiting where !timer.isDisposed { state.timers.insert(timer, sequence: sequence) }
            arm(&state)
        }
    }

    private func insert(_ timer: QueueTimer, _ state: inout State) {
        state.timers.insert(timer, sequence: state.nextSequence)
        state.nextSequence += 1
    }

    // Called under the lock, so that a later deadline cannot replace an earlier one. `schedule` of libdispatch calls no
    // other code.
    private func arm(_ state: inout State) {
        guard let first = state.timers.nextDeadline, first < state.armed else { return }
        state.armed = first
        state.source.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(max(0, first.nanoseconds))))
    }
}
