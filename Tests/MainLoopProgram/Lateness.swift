// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch

/// `runOnce(waiting: true)` waits for one callback, also if timers remain from the last run or were set since (rule
/// R8).
func waiting(_ loop: any LoopScheduler) throws {
    let count = Box(0)
    let pair = SocketPair()
    defer { pair.close() }
    for _ in 0..<3 {
        // Give the observers between the runs time for a notification, if there is one.
        Platform.pause(.milliseconds(20))
        let timer = loop.schedule(after: .milliseconds(30)) { _ = count.increment() }
        try onlyOne(loop, count)
        check(timer.isDisposed || count.value > 0)
        Platform.pause(.milliseconds(20))
        let watch = try loop.watch(pair.near, for: .read) { _ in
            if Descriptor.take(from: pair.near) > 0 { _ = count.increment() }
        }
        let thread = TestThread {
            Platform.pause(.milliseconds(30))
            Descriptor.put("x", to: pair.far)
        }
        try onlyOne(loop, count)
        try thread.join()
        watch.dispose()
    }
    // This timer is never due, so the host is not called for it.
    let timer = loop.schedule(after: .seconds(3600)) {}
    loop.execute { _ = count.increment() }
    while count.value < 7 { try loop.runOnce(waiting: true) }
    // The call of the main queue's owner for that work is on the queue, and is one of its callbacks.
    Platform.pause(.milliseconds(20))
    try loop.runOnce(waiting: false)
    for _ in 0..<3 { try onlyOneFromElsewhere(loop, count) }
    timer.dispose()
    check(count.value == 10)
    // The deadline of the last wait must not call the host either, since no run waits for it any more.
    let early = loop.schedule(after: .seconds(5)) { check(false, "a timer that is to be disposed by then") }
    try onlyOneFromElsewhere(loop, count)
    early.dispose()
    Platform.pause(.milliseconds(5_100))
    try onlyOneFromElsewhere(loop, count)
}

private func onlyOneFromElsewhere(_ loop: any LoopScheduler, _ count: Box<Int>) throws {
    let thread = TestThread {
        Platform.pause(.milliseconds(20))
        loop.execute { _ = count.increment() }
    }
    try onlyOne(loop, count)
    try thread.join()
}

private func onlyOne(_ loop: any LoopScheduler, _ count: Box<Int>) throws {
    let before = count.value
    try loop.runOnce(waiting: true)
    check(count.value == before + 1, "a run that waits for a callback came back with \(count.value - before)")
}

/// Timers keep their order, whether a job of a run, the caller between runs, or another thread sets them.
func order(_ loop: any LoopScheduler) throws {
    let trace = Recorder<Int>()
    let instant = loop.now + .milliseconds(50)
    _ = loop.schedule(at: instant, options: TimerOptions()) { trace.append(1) }
    loop.execute { _ = loop.schedule(at: instant, options: TimerOptions()) { trace.append(2) } }
    // This runs while the loop runs, and sets a timer for the next turn.
    loop.execute {
        try? TestThread { _ = loop.schedule(at: instant, options: TimerOptions()) { trace.append(3) } }.join()
    }
    try loop.runOnce(waiting: false)
    _ = loop.schedule(at: instant, options: TimerOptions()) { trace.append(4) }
    try TestThread { _ = loop.schedule(at: instant, options: TimerOptions()) { trace.append(5) } }.join()
    try loop.runUntilIdle()
    check(trace.values == [1, 2, 3, 4, 5], "\(trace.values)")
}

/// Many threads submit work, timers and stops: first while the main thread runs one callback at a time, then while
/// the main queue's owner serves the loop.
func crowded(_ loop: any LoopScheduler, underDispatchMain isGuest: Bool) throws {
    let (threads, each) = (4, 400)
    let count = Box(0)
    let all = (0..<threads).map { number in
        TestThread {
            for index in 0..<each {
                switch (index + number) % 4 {
                case 0: loop.schedule(after: .microseconds(index)) { _ = count.increment() }
                case 1: _ = loop.schedule { _ = count.increment() }
                default: loop.execute { _ = count.increment() }
                }
                if index % 97 == 0, !isGuest { loop.stop() }
                if index % 31 == 0 { Platform.pause(.microseconds(500)) }
            }
        }
    }
    // If the main queue serves the loop afterwards, this runs only the first half.
    while count.value < (isGuest ? threads * each / 2 : threads * each) { try loop.runOnce(waiting: true) }
    guard isGuest else { return try all.forEach { thread in try thread.join() } }
    @Sendable func look() {
        if count.value == threads * each { finish() }
        loop.schedule(after: .milliseconds(1)) { look() }
    }
    loop.execute { look() }
    dispatchMain()
}

/// An object released together with the loop may still call the loop, which is already disposed.
func askedWhileItGoes(_ loop: any LoopScheduler, fromInside isInside: Bool) throws {
    let handle = Box<(any Disposable)?>(nil)
    do {
        let last = Last { handle.value = loop.schedule(after: .seconds(60)) {} }
        loop.schedule(after: .seconds(60)) { withExtendedLifetime(last) {} }
    }
    if isInside {
        loop.execute { loop.dispose() }
        try loop.runOnce(waiting: true)
    } else {
        loop.dispose()
    }
    check(loop.isDisposed && handle.value?.isDisposed == true)
}

private final class Last: Sendable {
    private let whenGone: @Sendable () -> Void
    init(_ whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }
    deinit { whenGone() }
}

/// A main loop under its own `run` has no second thread.
func alone(_ loop: any LoopScheduler) throws {
    let threads = Box(0)
    let pair = SocketPair()
    loop.execute {
        let watch = try? loop.watch(pair.near, for: .read) { _ in
            if Descriptor.take(from: pair.near) > 0 { loop.stop() }
        }
        check(watch != nil, "a watch")
        loop.schedule(after: .milliseconds(20)) {
            threads.value = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            Descriptor.put("x", to: pair.far)
        }
    }
    try loop.run()
    check(threads.value == 1, "\(threads.value) threads")
}

/// Work submitted before the main queue is served runs once it is served, and schedules the rest.
private func giveWork(_ done: @escaping @Sendable () -> Void) {
    let loop = DispatchLoop.main
    loop.execute {
        loop.schedule(after: .milliseconds(5)) {
            _ = TestThread { loop.execute { done() } }
        }
    }
}

/// The same for a timer without other work.
private func setTimer(_ done: @escaping @Sendable () -> Void) {
    let loop = DispatchLoop.main
    loop.schedule(after: .milliseconds(5)) {
        _ = TestThread { loop.execute { done() } }
    }
}

func calledByWork() -> Never {
    giveWork { finish() }
    dispatchMain()
}

func calledByTimer() -> Never {
    setTimer { finish() }
    dispatchMain()
}

/// Called from another thread, after the run loop has begun.
func calledFromElsewhere() throws {
    let loop = DispatchLoop.main
    _ = TestThread {
        Platform.pause(.milliseconds(50))
        loop.execute { setTimer { finish() } }
    }
    RunLoop.main.run()
    check(false, "the run loop has ended")
}

/// A loop that has never run is disposed and then used again.
func disposedUnused() throws {
    let loop = DispatchLoop.main
    loop.execute { check(false, "work of a loop that is over") }
    loop.dispose()
    check(failure { try loop.run() } == .disposed)
    loop.execute { check(false, "work of a loop that is over") }
    // The server of the main queue handles the event that woke it.
    DispatchQueue.main.async { finish() }
    dispatchMain()
}
