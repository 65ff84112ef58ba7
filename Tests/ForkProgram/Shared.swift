import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance

/// Runs `use` on several threads, and in `count` children that are forked meanwhile.
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

/// Signals that a child makes work, though the parent's threads were in the middle of linking and pausing theirs: subscriptions share
/// one lock (rule F2).
func childsSignals() throws {
    try forkMeanwhile(100) {
        let (outer, inner) = (Subject<Int, Never>(), Subject<Int, Never>())
        let count = Box(0)
        let subscription = outer.signal.flatMap(.concat) { value in inner.signal.map { $0 + value }.take(1) }
            .subscribe(onValue: { _ in count.increment() })
        outer.send(1)
        subscription.pause().dispose()
        inner.send(1)
        subscription.dispose()
        return count.value == 1 ? 0 : 2
    }
}

/// A child may ask the parent's pool everything: it is over there, and never waits.
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

/// A daemon closes all descriptors, so that its own handlers get the numbers of the parent's: disposing these leaves its own alone (rule F3).
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
