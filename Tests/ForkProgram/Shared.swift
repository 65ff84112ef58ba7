// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance

/// Runs `use` on several threads and, at the same time, in `count` forked children.
private func forkMeanwhile(_ count: Int, _ use: @escaping @Sendable () -> Int32) throws {
    let busy = BusyThreads(4, rounds: 100) { _ in _ = use() }
    try waitUntil("warm threads") { busy.areWarm }
    _ = use()
    let result = ForkedChild.failures(among: count) { _ in use() }
    busy.end()
    try expect(
        result.count == 0,
        "\(result.count) of \(count) children failed, the first: \(String(describing: result.first))"
    )
}

/// Signals that a child creates work, although the parent's threads were linking and pausing subscriptions at the
/// fork. `share` links two trees of subscriptions, for which the program has one lock (rule F2).
func childsSignals() throws {
    try forkMeanwhile(100) {
        let (outer, inner) = (Subject<Int, Never>(), Subject<Int, Never>())
        let count = Box(0)
        let subscription = outer.signal.share().flatMap(.concat) { value in inner.signal.map { $0 + value }.take(1) }
            .subscribe(onValue: { _ in count.increment() })
        outer.send(1)
        subscription.pause().dispose()
        inner.send(1)
        subscription.dispose()
        return count.value == 1 ? 0 : 2
    }
}

/// Every call on the parent's pool returns in a child: the pool has terminated there and never waits.
func parentsPool() throws {
    let pool = WorkerPool(name: "parent's", maximumThreads: 4)
    let parent = getpid()
    try forkMeanwhile(200) {
        pool.execute {}
        let handle = pool.schedule {}
        if getpid() == parent {
            handle.dispose()
            return 0
        }
        if !handle.isDisposed { return 2 }
        if !pool.isDisposed { return 3 }
        pool.dispose()
        return 0
    }
    pool.dispose()
}

/// A daemon closes all descriptors, so its own handlers get the descriptor numbers of the parent's handlers.
/// Disposing the parent's handlers does not affect them (rule F3).
func reusedNumbers(_ kind: LoopKind) throws {
    let loop = try kind.make()
    let handle = try loop.onSignal(.user2) {}
    let end = ForkedChild {
        for descriptor in Int32(3)..<256 { close(descriptor) }
        do {
            let own = try kind.make()
            let count = Box(0)
            let handles = try (0..<8).map { _ in try own.onSignal(.user2) { count.increment() } }
            handle.dispose()
            kill(getpid(), SIGUSR2)
            try own.turns(10)
            for handle in handles { handle.dispose() }
            return count.value == 8 ? 0 : 10 + Int32(count.value)
        } catch { return 3 }
    }.wait()
    try expect(end == .exited(0), "the child \(end) (10 to 17: so many of its 8 handlers are called)")
    handle.dispose()
}
