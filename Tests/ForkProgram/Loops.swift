// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine

/// Threads that keep a loop's queue, timers and locks busy. All of them have run once on return.
private func crowd(_ loop: any LoopScheduler) throws -> BusyThreads {
    let crowd = BusyThreads(3, rounds: 500) { number in
        loop.execute {}
        if number == 0 { loop.schedule(after: .microseconds(50)) {} }
        if number == 1 { loop.schedule(after: .seconds(1)) {}.dispose() }
        if number == 2 { loop.schedule {}.dispose() }
        sched_yield()
    }
    try waitUntil("warm threads") { crowd.areWarm }
    // The thread of the loop must be warm too. On a busy machine it may not have run their work yet.
    let fired = Latch()
    loop.schedule(after: .milliseconds(1)) { fired.arrive() }
    try fired.wait("a timer of the busy loop")
    try loop.sync()
    return crowd
}

/// Calls on the parent's loop have a defined result in a child, whatever the parent's threads were doing at the fork
/// (rule F3).
func parentsLoop(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    let pair = SocketPair()
    defer { pair.close() }
    let kept = Box<[any Disposable]>([])
    try loop.sync {
        if let watch = try? loop.watch(pair.near, for: .read, { _ in }) { kept.update { $0.append(watch) } }
        if let handle = try? loop.onSignal(.user1, {}) { kept.update { $0.append(handle) } }
    }
    let timer = loop.schedule(after: .seconds(60)) {}
    let handles = kept.value + [timer]
    let mainLoop = kind.main
    let crowd = try crowd(loop)
    // The parent makes the same calls first, so that no child uses a type for the first time.
    let other = try kind.make(thread: .owned)
    mainLoop.stop()
    _ = callsOfChild(kind, other, mainLoop, [other.schedule(after: .seconds(60)) {}], pair.far) {}
    let result = ForkedChild.failures(among: 300) { _ in
        let code = callsOfChild(kind, loop, mainLoop, handles, pair.far) { _exit(9) }
        mainLoop.dispose()
        return code
    }
    crowd.end()
    try expect(
        result.count == 0,
        "\(result.count) of 300 children failed, the first: \(String(describing: result.first))"
    )
    // The loop still works in the parent.
    try loop.sync()
    loop.dispose()
}

/// Makes all calls that a child's copy of a loop must refuse, and disposes it. Returns 0, or the number of a call that was
/// not refused.
private func callsOfChild(
    _ kind: LoopKind,
    _ loop: any LoopScheduler,
    _ mainLoop: any LoopScheduler,
    _ handles: [any Disposable],
    _ descriptor: Int32,
    _ work: @escaping @Sendable () -> Void
) -> Int32 {
    loop.execute(work)
    let areDisposed = [
        loop.schedule({}).isDisposed, loop.schedule(after: .zero, {}).isDisposed,
        loop.schedule(every: .zero, {}).isDisposed,
    ]
    let codes = [
        failure { _ = try loop.watch(descriptor, for: .write) { _ in } }, failure { _ = try loop.onSignal(.user2) {} },
        failure { try loop.run() }, failure { try mainLoop.run() }, failure { try kind.main.runUntilIdle() },
    ]
    loop.stop()
    for handle in handles { handle.dispose() }
    loop.dispose()
    if let index = areDisposed.firstIndex(of: false) { return 2 + Int32(index) }
    if let index = codes.firstIndex(where: { $0 != .forked }) { return 10 + Int32(index) }
    return loop.isDisposed ? 0 : 15
}

/// A loop that a child creates works, also on its own thread, although the parent's threads were busy at the fork
/// (rule F2).
func childsLoop(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    let crowd = try crowd(loop)
    // This thread becomes the child's, so it uses every lock and type first.
    let code = work(kind)
    try expect(code == 0, "the parent's own work ended with \(code)")
    let result = ForkedChild.failures(among: 100) { _ in work(kind) }
    crowd.end()
    loop.dispose()
    try expect(
        result.count == 0,
        "\(result.count) of 100 children failed, the first: \(String(describing: result.first))"
    )
}

private func work(_ kind: LoopKind) -> Int32 {
    do {
        let own = try kind.make(thread: .owned)
        let count = Box(0)
        let threads = (0..<3).map { _ in
            SystemThread.orTrap(name: "child") { for _ in 0..<300 { own.execute { count.increment() } } }
        }
        for _ in 0..<300 { own.execute { count.increment() } }
        for thread in threads { thread.join() }
        let spot = ParkingSpot()
        own.schedule(after: .milliseconds(1)) { spot.unpark() }
        spot.park()
        if count.value != 1200 { return 2 }
        own.dispose()
        let caller = try kind.make()
        let pair = SocketPair()
        defer { pair.close() }
        let isRead = Box(false)
        let watch = try caller.watch(pair.near, for: .read) { _ in isRead.value = true }
        Descriptor.put("x", to: pair.far)
        try caller.turns { isRead.value }
        watch.dispose()
        return 0
    } catch { return 3 }
}

/// A callback forks. In the child the run throws `forked`, and no later callback of the turn runs.
func insideCaller(_ kind: LoopKind) throws {
    let loop = try kind.make()
    let isChild = Box(false)
    let child = Box<ForkedChild?>(nil)
    let after = Box(0)
    let pair = SocketPair()
    defer { pair.close() }
    Descriptor.put("x", to: pair.far)
    let watch = try loop.watch(pair.near, for: .read) { _ in after.increment() }
    loop.schedule(after: .zero) { after.increment() }
    loop.execute {
        let identifier = ForkedChild.fork()
        if identifier == 0 {
            alarm(60)
            return isChild.value = true
        }
        child.value = ForkedChild(adopting: identifier)
    }
    loop.execute { after.increment() }
    let thrown = failure { try loop.runOnce(waiting: false) }
    if isChild.value { _exit(thrown == .forked && after.value == 0 ? 0 : 10 + Int32(after.value)) }
    try expect(thrown == nil && after.value == 3, "the parent's turn ran \(after.value) callbacks")
    let end = child.value?.wait()
    try expect(end == .exited(0), "the child \(String(describing: end)) (10: no error, more: callbacks that ran)")
    watch.dispose()
}

/// A callback forks on the thread that a loop owns. In the child that thread ends, and so does the child, which has
/// no other thread.
func insideOwned(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    let child = Box<ForkedChild?>(nil)
    // Not `sync`: the child would open its latch, whose lock this thread may hold at the fork.
    loop.execute {
        let identifier = ForkedChild.fork()
        if identifier == 0 {
            alarm(60)
        } else {
            child.value = ForkedChild(adopting: identifier)
        }
    }
    try waitUntil("the fork") { child.value != nil }
    let end = child.value?.wait()
    try expect(end == .exited(0), "the child \(String(describing: end))")
    try loop.sync()
    loop.dispose()
}

/// The system's resolver uses its own threads in a child.
func names(_ kind: LoopKind) throws {
    let loop = try kind.make()
    try lookUp(loop)
    let end = ForkedChild {
        do {
            let own = try kind.make()
            try lookUp(own)
            return 0
        } catch { return 2 }
    }.wait()
    try expect(end == .exited(0), "the child \(end)")
}

private func lookUp(_ loop: any LoopScheduler) throws {
    let found = Box(0)
    Resolver.system.addresses(of: "localhost", port: 80, loop: loop).subscribe(
        onValue: { found.value = $0.count },
        onTermination: noFailure()
    )
    try loop.runUntilIdle()
    try expect(found.value > 0, "no address of localhost")
}
