// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance

/// A signal sent only to the child does not reach the parent. Its disposition in the child is the one from before the
/// parent's handler (rule G7).
func childSignals(_ kind: LoopKind) throws {
    for isIgnored in [false, true] {
        signal(SIGUSR2, isIgnored ? SIG_IGN : SIG_DFL)
        let loop = try kind.make()
        let count = Box(0)
        let handle = try loop.onSignal(.user2) { count.increment() }
        for _ in 0..<20 {
            let end = ForkedChild {
                kill(getpid(), SIGUSR2)
                return 5
            }.wait()
            try expect(end == (isIgnored ? .exited(5) : .signalled(SIGUSR2)), "the child \(end)")
        }
        try loop.turns(5)
        try expect(count.value == 0, "the parent was notified \(count.value) times of its children's signals")
        kill(getpid(), SIGUSR2)
        try loop.turns { count.value == 1 }
        handle.dispose()
    }
    // A child may handle signals on its own loop. The parent is not notified of them.
    let loop = try kind.make()
    let count = Box(0)
    let handle = try loop.onSignal(.user2) { count.increment() }
    let end = ForkedChild {
        do {
            let own = try kind.make()
            let arrived = Box(0)
            let handle = try own.onSignal(.user2) { arrived.increment() }
            kill(getpid(), SIGUSR2)
            try own.turns { arrived.value == 1 }
            handle.dispose()
            own.dispose()
            // Ignored, as it was before the parent's handler.
            kill(getpid(), SIGUSR2)
            return 0
        } catch { return 3 }
    }.wait()
    try expect(end == .exited(0), "a child with a handler \(end)")
    try loop.turns(5)
    try expect(count.value == 0, "the parent was notified \(count.value) times")
    handle.dispose()
}

/// The same for a signal that arrives during the fork, before any code of the child has run.
func signalAtFork(_ kind: LoopKind) throws {
    signal(SIGUSR2, SIG_DFL)
    let loop = try kind.make()
    let count = Box(0)
    let handle = try loop.onSignal(.user2) { count.increment() }
    for _ in 0..<300 {
        let child = ForkedChild {
            while true { pause() }
        }
        kill(child.identifier, SIGUSR2)
        let end = child.wait()
        try expect(end == .signalled(SIGUSR2), "the child \(end)")
    }
    try loop.turns(5)
    try expect(count.value == 0, "the parent was notified \(count.value) times of its children's signals")
    handle.dispose()
}
