// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine

/// Runs the main loop in every way.
func running(_ loop: any LoopScheduler) throws {
    let trace = Recorder<Int>()
    loop.execute { trace.append(1) }
    try loop.runOnce(waiting: false)
    check(trace.values == [1])
    loop.execute {
        check(failure { try loop.run() } == .alreadyRunning)
        trace.append(2)
    }
    try loop.runUntilIdle()
    loop.stop()
    try loop.run()
    loop.schedule(after: .milliseconds(2)) {
        trace.append(3)
        loop.stop()
    }
    try loop.run()
    _ = TestThread { loop.execute { trace.append(4) } }
    while trace.count < 4 { try loop.runOnce(waiting: true) }
    check(trace.values == [1, 2, 3, 4])
}

func wrongThread(_ loop: any LoopScheduler) throws {
    let thread = TestThread {
        check(failure { try loop.run() } == .notMainThread)
        check(failure { try loop.runUntilIdle() } == .notMainThread)
        check(failure { try loop.runOnce(waiting: false) } == .notMainThread)
    }
    try thread.join()
    try running(loop)
}

/// The host runs a guest on a thread of a queue, where the guest must not serve the main queue. The process traps.
func servedElsewhere() throws {
    let host = DispatchHost(DispatchQueue(label: "elsewhere"))
    let guest = try DispatchLoop(attachedTo: host, name: "visitor", servesMainQueue: true)
    DispatchQueue.main.async {}
    try Latch().wait("the trap")
    guest.dispose()
}

/// Calls `done` after two periods in which the process used little CPU time. A loop that spins uses all of it.
private func waitUntilQuiet(
    _ guest: any LoopScheduler,
    periodsLeft: Int = 6,
    wasQuiet: Bool = false,
    _ done: @escaping @Sendable () -> Void
) {
    let before = clock()
    guest.schedule(after: .milliseconds(200)) {
        // In microseconds.
        let used = clock() - before
        let isQuiet = used < 100_000
        if isQuiet, wasQuiet { return done() }
        check(periodsLeft > 0, "busy: \(used) µs of 200 ms")
        waitUntilQuiet(guest, periodsLeft: periodsLeft - 1, wasQuiet: isQuiet, done)
    }
}

/// Uses every operation of a guest, on any host. Calls `done` on the main queue at the end.
private func exercise(_ guest: any LoopScheduler, _ done: @escaping @Sendable () -> Void) throws {
    let pair = SocketPair()
    let steps = Box<Set<String>>([])
    let watch = Box<(any DescriptorWatch)?>(nil)
    @Sendable func saw(_ what: String) {
        // This is not always the main thread: `dispatchMain()` ends that thread and serves its queue from the pool.
        dispatchPrecondition(condition: .onQueue(.main))
        check(guest.isCurrent, what)
        let isLast = steps.update { steps in steps.insert(what).inserted && steps.count == 5 }
        guard isLast else { return }
        watch.value?.dispose()
        // A stop must neither end a guest nor make its host spin.
        guest.stop()
        waitUntilQuiet(guest, done)
    }
    guest.execute { saw("given before") }
    watch.value = try guest.watch(pair.near, for: .read) { _ in
        if Descriptor.take(from: pair.near) > 0 { saw("socket") }
    }
    guest.schedule(after: .milliseconds(5)) { saw("timer") }
    _ = TestThread {
        Platform.pause(.milliseconds(10))
        guest.execute { saw("elsewhere") }
        Platform.pause(.milliseconds(10))
        guest.schedule(after: .milliseconds(1)) {
            saw("timer from elsewhere")
        }
        Descriptor.put("x", to: pair.far)
    }
}

/// The owner of the main queue serves `DispatchLoop.main`. Here that is the run of another main loop.
func guestOfAnother(_ host: any LoopScheduler) throws {
    let guest = DispatchLoop.main
    if host === guest { return }
    try exercise(guest) { host.stop() }
    try host.run()
    // The guest's own run replaces the host during that run.
    let count = Box(0)
    guest.schedule(after: .milliseconds(1)) { _ = count.increment() }
    try guest.runUntilIdle()
    check(count.value == 1)
    // The last wait of that run must not make the host spin.
    guest.execute { waitUntilQuiet(guest) { host.stop() } }
    try host.run()
}

func underDispatchMain() -> Never {
    do {
        // The loop's own run comes first, and ends with a deadline.
        let loop = DispatchLoop.main
        loop.schedule(after: .milliseconds(2)) { loop.stop() }
        try loop.run()
        try exercise(loop) { finish() }
    } catch {
        check(false, "\(error)")
    }
    dispatchMain()
}

func underRunLoop() throws {
    try exercise(DispatchLoop.main) { finish() }
    RunLoop.main.run()
    check(false, "the run loop has ended")
}

/// A main loop may be disposed while idle and used again, and its host releases it.
func disposal(_ loop: any LoopScheduler) throws {
    try running(loop)
    let timer = loop.schedule(after: .seconds(60)) {}
    DispatchQueue.main.async {}
    loop.dispose()
    check(timer.isDisposed && loop.isDisposed)
    check(failure { try loop.run() } == .disposed)
    // Give libdispatch time to report an error.
    Platform.pause(.milliseconds(50))
}
