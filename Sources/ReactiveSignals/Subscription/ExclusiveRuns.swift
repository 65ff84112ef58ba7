// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Runs one job at a time, when no call is in progress that must return first. Of several jobs that wait, only the
/// newest runs.
///
/// An operator whose runs must not overlap uses it: the calls are the teardowns of its earlier runs. The thread whose
/// call returns last runs the job. Jobs run in a loop, so a job that enqueues the next one costs no stack (law 8).
@usableFromInline
final class ExclusiveRuns: Sendable {
    @usableFromInline
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The number of calls in progress. A running job counts as one.
        var active = 0
        var waiting: Job?

        /// Records that a call or a job has returned. Returns the job that runs next, if any.
        mutating func leave() -> Job? {
            active -= 1
            guard active == 0, let job = waiting.take() else { return nil }
            active = 1
            return job
        }
    }

    private let state = Lock(State())

    @usableFromInline
    init() {}

    /// Whether no call is in progress and no job runs.
    @usableFromInline
    var isIdle: Bool { state.withLock { $0.active == 0 } }

    @usableFromInline
    func enter() { state.withLock { $0.active += 1 } }

    /// Records that a call has begun and that `job` must run afterwards, in place of a job that waits. Returns the
    /// latter, which the caller releases while it holds no lock (law 3).
    @usableFromInline
    func enter(before job: @escaping Job) -> Job? {
        state.withLock { state in
            let old = state.waiting
            state.active += 1
            state.waiting = job
            return old
        }
    }

    /// Records that a call has returned. The last one runs the job that waits.
    @usableFromInline
    func leave() {
        while let job = state.withLock({ $0.leave() }) { job() }
    }
}
