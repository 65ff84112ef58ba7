// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// Counts the posted work and the work that has run.
///
/// Uses atomics instead of a `Lock`, because it must not pause where the locks of the loop do
/// (Tests/Traces/Interleaving).
final class Tally: Sendable {
    private let given = Atomic<Int>(0)
    private let done = Atomic<Int>(0)

    func give() { given.add(1, ordering: .sequentiallyConsistent) }
    func didRun() { done.add(1, ordering: .sequentiallyConsistent) }

    /// Reads `done` first: between the two reads only more work can be posted.
    var isSettled: Bool {
        let done = done.load(ordering: .sequentiallyConsistent)
        return done == given.load(ordering: .sequentiallyConsistent)
    }

    func post(to loop: any LoopScheduler) {
        give()
        loop.execute { self.didRun() }
    }

    func setTimer(on loop: any LoopScheduler, microseconds: Int) {
        give()
        loop.schedule(after: .microseconds(microseconds)) { self.didRun() }
    }
}
