// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import Refusals
import SchedulerConformance
import SchedulerEngine

/// Changes watches of a loop while calls are refused. A watch may miss events only until calls succeed again.
func watchingWithout(_ resource: Resource, _ kind: LoopKind, count: Int) -> Int32 {
    do {
        for change in WatchChange.allCases {
            if let failure = try missed(change, resource, kind, count) {
                print("\(change): \(failure)")
                fflush(nil)
                return 2
            }
        }
        return 0
    } catch {
        print("before anything was refused: \(error)")
        fflush(nil)
        return 3
    }
}

private enum WatchChange: CaseIterable {
    case wider, narrower, second, disposedSecond, error
}

/// Returns what a watch has missed, if anything.
private func missed(
    _ change: WatchChange,
    _ resource: Resource,
    _ kind: LoopKind,
    _ count: Int
) throws -> String? {
    let loop = try kind.make()
    defer { loop.dispose() }
    // A pipe without a reader has an error as long as it exists.
    let pair = SocketPair()
    var pipeEnds: [Int32] = [0, 0]
    guard pipe(&pipeEnds) == 0 else { return "no pipe" }
    close(pipeEnds[0])
    defer {
        pair.close()
        close(pipeEnds[1])
    }
    let isError = change == .error
    let calls = Box(0)
    let watched = isError ? pipeEnds[1] : pair.near
    let interest: Readiness = isError ? .write : change == .narrower ? [.read, .write] : .read
    // The first deadline registers a descriptor of the poller.
    try sleep(loop, .milliseconds(1))
    let watch = try loop.watch(watched, for: interest) { _ in calls.increment() }
    let other = change == .disposedSecond ? try loop.watch(watched, for: .write) { _ in } : nil
    if !isError { try loop.turns(2) }

    Descriptor.put("x", to: pair.far)
    resource.refuse(after: 0, count: count)
    switch change {
    case .wider: try? watch.setInterest([.read, .write])
    case .narrower: try? watch.setInterest(.read)
    case .second: _ = try? loop.watch(watched, for: .write) { _ in }
    case .disposedSecond: other?.dispose()
    case .error: break
    }
    try loop.turns(2)
    let busy = plain_cpu_us()
    if count == .max, isError, kind.rawValue == "libuv" {
        // Nothing is ready, and each wait tries again.
        try sleep(loop, .milliseconds(200))
        if plain_cpu_us() - busy > 40_000 { return "the loop spins" }
    }
    if count == .max { resource.allow() }

    calls.value = 0
    while calls.value < 3 { try loop.runOnce(waiting: true) }
    resource.allow()
    return nil
}

private func sleep(_ loop: any LoopScheduler, _ duration: Duration) throws {
    let isOver = Box(false)
    loop.schedule(after: duration) { isOver.value = true }
    while !isOver.value { try loop.runOnce(waiting: true) }
}
