import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerEngine

@_silgen_name("fork")
private func systemFork() -> Int32

/// F1: in a forked child the loop is refused, and the parent's is none the worse, whatever the child does with its own.
func forking(_ kind: LoopKind) throws {
    let loop = try kind.make()
    let pair = SocketPair()
    let received = Box(0)
    let watch = try loop.watch(pair.near, for: .read) { _ in if take(from: pair.near) > 0 { received.increment() } }
    loop.schedule(after: .milliseconds(1)) {}
    try loop.turns(2)
    let child = systemFork()
    if child == 0 {
        var code: Int32 = 0
        if failure({ try loop.run() }) != .forked { code = 2 }
        if failure({ _ = try loop.watch(pair.far, for: .write) { _ in } }) != .forked { code = 3 }
        loop.execute {}
        watch.dispose()
        loop.dispose()
        _exit(code)
    }
    var status: Int32 = 0
    check(waitpid(child, &status, 0) == child)
    check(status == 0, "the child's status \(status)")
    put("x", to: pair.far)
    try loop.turns { received.value == 1 }
    watch.dispose()
    try loop.runUntilIdle()
}

private func entries(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
}

/// D3, Z4: a hundred loops made and disposed leave no descriptor and no thread behind.
func leaks(_ kind: LoopKind) throws {
    func once(_ thread: LoopThread) throws {
        let loop = try kind.make(thread: thread)
        let pair = SocketPair()
        @Sendable func fill() {
            do {
                _ = try loop.watch(pair.near, for: .write) { _ in }
                _ = try loop.onSignal(.user1) {}
            } catch { check(false, "\(error)") }
            loop.schedule(after: .milliseconds(1)) {}
        }
        if thread == .owned {
            try loop.sync { fill() }
            try loop.sync()
        } else {
            fill()
            try loop.turns(2)
        }
        loop.dispose()
    }
    for _ in 0..<3 { for thread in [LoopThread.owned, .caller] { try once(thread) } }
    let descriptors = entries("/proc/self/fd")
    let threads = entries("/proc/self/task")
    for _ in 0..<100 { for thread in [LoopThread.owned, .caller] { try once(thread) } }
    check(entries("/proc/self/fd") == descriptors, "\(entries("/proc/self/fd")) descriptors after \(descriptors)")
    // A thread that has been joined is still listed until the kernel has done with it: it wakes the joiner first.
    let limit = ContinuousClock.now + .seconds(Latch.limit)
    while entries("/proc/self/task") > threads, ContinuousClock.now < limit { pace(microseconds: 100) }
    check(entries("/proc/self/task") <= threads, "\(entries("/proc/self/task")) threads after \(threads)")
}

/// A process started without standard streams: nothing of the loop's gets their numbers.
func withoutStandardStreams(_ kind: LoopKind) throws {
    let output = fcntl(1, F_DUPFD, 10)
    for descriptor in Int32(0)...2 { close(descriptor) }
    let loop = try kind.make()
    loop.schedule(after: .milliseconds(1)) {}
    try loop.runUntilIdle()
    let areNull = (Int32(0)...2).allSatisfy { descriptor in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == "/dev/null"
    }
    loop.dispose()
    dup2(output, 1)
    check(areNull)
}
