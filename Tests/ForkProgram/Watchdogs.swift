// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine

/// A child has no watchdog: its calls return, and a new one works there.
func parentsWatchdog(_ kind: LoopKind) throws {
    let loop = try kind.make(thread: .owned)
    let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(1)) { _ in }
    let result = ForkedChild.failures(among: 100) { _ in
        if !watchdog.isDisposed { return 2 }
        watchdog.dispose()
        let reported = Latch()
        guard let own = try? kind.make(),
            let other = try? LoopWatchdog(observing: [own], limit: .milliseconds(1), { _ in reported.arrive() })
        else { return 3 }
        own.execute { try? reported.wait("the report of the child") }
        do { try own.runOnce(waiting: false) } catch { return 4 }
        other.dispose()
        return reported.isOpen ? 0 : 5
    }
    try expect(result.count == 0, "\(result)")
    try expect(!watchdog.isDisposed, "the parent's watchdog ends with the child's")
    watchdog.dispose()
    loop.dispose()
}

/// A stop of the process in a callback is not reported. A real block is, later.
func stoppedProcess(_ kind: LoopKind) throws {
    let limit = 200
    // The child lets this process continue five limits after each stop.
    let parent = getpid()
    let child = ForkedChild {
        while getppid() == parent {
            usleep(1_000)  // allowed: polls for the stop of another process
            if !status(of: parent).contains(") T") { continue }
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

private func status(of process: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 512)
    let file = open("/proc/\(process)/stat", O_RDONLY)
    defer { close(file) }
    return String(decoding: bytes[..<max(0, read(file, &bytes, bytes.count))], as: UTF8.self)
}
