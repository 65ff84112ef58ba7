import Dispatch
import Foundation
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// M1: blocks, delayed blocks and sources of the main queue run on the main thread, and are nobody's work.
func mainQueue(_ loop: any LoopScheduler) throws {
    let source = DispatchSource.makeTimerSource(queue: .main)
    let seen = Box<Set<String>>([])
    @Sendable func saw(_ what: String) {
        check(isMainThread(), "\(what) on the main thread")
        check(!loop.isCurrent && CurrentScheduler.value == nil, "\(what) is the loop's work")
        let isLast = seen.update { seen in
            seen.insert(what)
            return seen.count == 4
        }
        if isLast { loop.stop() }
    }
    // One before the loop has ever run, one from another thread while it waits.
    DispatchQueue.main.async { saw("async") }
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10)) { saw("asyncAfter") }
    source.setEventHandler { saw("source") }
    source.schedule(deadline: .now() + .milliseconds(5))
    source.activate()
    loop.schedule(after: .milliseconds(20)) {
        _ = TestThread { DispatchQueue.main.async { saw("elsewhere") } }
    }
    try loop.run()
    source.cancel()
    check(seen.value.count == 4)
}

/// M2: tasks of the main actor run, also after a sleep.
func mainActor(_ loop: any LoopScheduler) throws {
    let steps = Recorder<String>()
    Task { @MainActor in
        steps.append(isMainThread() ? "main" : "elsewhere")
        try await Task.sleep(for: .milliseconds(3))
        steps.append(isMainThread() ? "slept" : "elsewhere")
        let task = Task.detached {
            check(!isMainThread())
            await MainActor.run { steps.append(isMainThread() ? "hop" : "elsewhere") }
        }
        await task.value
        loop.stop()
    }
    try loop.run()
    check(steps.values == ["main", "slept", "hop"], "\(steps.values)")
}

/// M3: the loop's callbacks are on the main actor and the main queue, as far as those can tell.
func isolation(_ loop: any LoopScheduler) throws {
    let count = Box(0)
    @Sendable func look() {
        MainActor.assumeIsolated { _ = count.increment() }
        dispatchPrecondition(condition: .onQueue(.main))
        check(loop.isCurrent)
    }
    let pair = SocketPair()
    loop.execute { look() }
    loop.schedule(after: .zero) { look() }
    let watch = try loop.watch(pair.near, for: .write) { _ in look() }
    try loop.runOnce(waiting: false)
    watch.dispose()
    check(count.value == 3)
}

/// M4: an idle loop with one 20 ms timer on the main queue wakes a few times in 200 ms, not hundreds of thousands of times.
func idle(_ loop: any LoopScheduler) throws {
    let ticks = Box(0)
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.setEventHandler { ticks.increment() }
    source.schedule(deadline: .now(), repeating: .milliseconds(20))
    source.activate()
    // RUSAGE_THREAD, which the Glibc module does not have.
    let thread: Int32 = 1
    func switches() -> Int {
        var usage = rusage()
        getrusage(thread, &usage)
        return usage.ru_nvcsw
    }
    func busy() -> Double {
        var usage = rusage()
        getrusage(thread, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
    loop.schedule(after: .milliseconds(50)) {}
    let before = switches()
    let start = busy()
    loop.schedule(after: .milliseconds(200)) { loop.stop() }
    try loop.run()
    // The rule says 20; what the machine's other work adds is no wake-up of ours.
    check(switches() - before <= 40, "\(switches() - before) wake-ups")
    check(busy() - start < 0.1, "\(busy() - start) s busy")
    check(ticks.value >= 1)
    source.cancel()
}

/// M5: a block that always queues itself again starves nobody.
func fairness(_ loop: any LoopScheduler) throws {
    let isOver = Box(false)
    @Sendable func again() { if !isOver.value { DispatchQueue.main.async { again() } } }
    again()
    let pair = SocketPair()
    let received = Box(0)
    let watch = try loop.watch(pair.near, for: .read) { _ in
        guard take(from: pair.near) > 0 else { return }
        if received.increment() == 100 { loop.stop() }
        put("x", to: pair.far)
    }
    loop.schedule(after: .milliseconds(2)) { loop.execute { put("x", to: pair.far) } }
    try loop.run()
    isOver.value = true
    watch.dispose()
    check(received.value == 100)
}

/// M6: other loops, also those that the main thread runs, leave the main queue alone.
func otherLoops(_ kind: LoopKind) throws {
    let other = try kind.make()
    let owned = try kind.make(thread: .owned)
    let ran = Box(false)
    DispatchQueue.main.async { ran.value = true }
    other.schedule(after: .milliseconds(20)) {}
    try other.runUntilIdle()
    try owned.sync()
    check(!ran.value)
    owned.dispose()
    let main = kind.main
    check(main === kind.main, "one main loop of a kind")
    main.schedule(after: .milliseconds(20)) {}
    try main.runUntilIdle()
    check(ran.value)
}
