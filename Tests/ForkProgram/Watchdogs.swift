// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine

/// A child has no watchdog: its calls return, and a new one works there.
func parentsWatchdog(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    // In a forked child, Swift's runtime hangs if two threads use a type for the first time at the same moment. So the
    // parent uses all types first.
    try expect(newWatchdog(kind) == 0, "a watchdog of the parent works")
    // Its limit is long, because a report of the parent during a fork would hold the lock of the loader.
    let watchdog = try LoopWatchdog(observing: [loop], limit: .seconds(3600)) { _ in }
    let result = ForkedChild.failures(among: 100) { _ in
        if !watchdog.isDisposed { return 2 }
        watchdog.dispose()
        return newWatchdog(kind)
    }
    try expect(result.count == 0, "\(result)")
    try expect(!watchdog.isDisposed, "the parent's watchdog ends with the child's")
    watchdog.dispose()
    loop.dispose()
}

/// The process forks while a watchdog of the parent captures a stack. A watchdog of the child works.
func captureAtFork(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    try expect(newWatchdog(kind) == 0, "a watchdog of the parent works")
    for _ in 0..<3 {
        let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(50)) { _ in }
        let (thread, end) = (Box<ThreadStack.Thread?>(nil), Latch())
        loop.execute {
            SignalMask.blocking(SIGURG) {
                thread.value = .current
                try? end.wait("the forks")
            }
        }
        // The loop's thread does not handle the signal, so the capture lasts until its limit.
        try waitUntil("a capture") { SignalMask.isPending(SIGURG, for: thread.value) }
        let result = ForkedChild.failures(among: 3) { _ in newWatchdog(kind) }
        end.arrive()
        try expect(result.count == 0, "\(result)")
        watchdog.dispose()
        try loop.sync()
    }
    loop.dispose()
}

/// Creates a loop and a watchdog, and blocks the loop. Returns 0 after the report, or the number of the step that failed.
private func newWatchdog(_ kind: LoopKind) -> Int32 {
    let reported = Latch()
    guard let own = try? kind.make(),
        let watchdog = try? LoopWatchdog(observing: [own], limit: .milliseconds(1), { _ in reported.arrive() })
    else { return 3 }
    own.execute { try? reported.wait("the report") }
    do { try own.runOnce(waiting: false) } catch { return 4 }
    watchdog.dispose()
    return reported.isOpen ? 0 : 5
}

/// A stop of the process in a callback is not reported. A real block is, later.
func stoppedProcess(_ kind: LoopKind) throws {
    let limit = 200
    // The child lets this process continue five limits after each stop.
    let parent = getpid()
    let child = ForkedChild {
        while getppid() == parent {
            usleep(1_000)  // allowed: polls for the stop of another process
            if ProcessResources.contents("/proc/\(parent)/stat")?.contains(") T") != true { continue }
            usleep(UInt32(5 * limit) * 1_000)  // allowed: the time for which it is stopped
            kill(parent, SIGCONT)
        }
        return 0
    }
    defer { kill(child.identifier, SIGKILL) }
    let loop = try kind.make(thread: .owned)
    let reports = Recorder<String>()
    let reported = Latch()
    let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(limit)) { turn in
        reports.append(turn.description)
        reported.arrive()
    }
    for _ in 0..<3 { try loop.sync { kill(getpid(), SIGSTOP) } }
    try expect(reports.values == [], "\(reports.values)")
    try loop.sync { try? reported.wait("the report") }
    try expect(reports.count == 1, "\(reports.values)")
    watchdog.dispose()
    loop.dispose()
}
