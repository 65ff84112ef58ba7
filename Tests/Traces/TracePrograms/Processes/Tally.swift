import ReactiveCore
import Synchronization

/// What was posted, and what of it has run.
///
/// Atomics, not a `Lock`: this must not pause where the locks of the loop do (Tests/Traces/Interleaving).
final class Tally: Sendable {
    private let given = Atomic<Int>(0)
    private let done = Atomic<Int>(0)

    func give() { given.add(1, ordering: .sequentiallyConsistent) }
    func didRun() { done.add(1, ordering: .sequentiallyConsistent) }

    /// Looks at what has run first: between the two looks there can only be more of what was given.
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
