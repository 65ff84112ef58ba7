// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSockets
import SchedulerConformance

/// In a child, sockets, children and look-ups on the parent's loop fail, and the error names the parent.
func refusedSockets(_ kind: LoopKind) throws {
    let (loop, other) = (try kind.make(), try kind.make())
    // The parent makes the same calls first, so that the child uses no type for the first time.
    other.dispose()
    let number = unrefused(other, "has been disposed")
    try expect(number == 0, "call \(number) on a disposed loop was not refused")
    let end = ForkedChild { unrefused(loop, "belongs to the parent process") }.wait()
    try expect(end == .exited(0), "the child \(end) (the code is the number of a call that was not refused)")
    loop.dispose()
}

/// Returns 0, or the number of the first call that does not fail with `loop` and this reason.
private func unrefused(_ loop: any LoopScheduler, _ reason: String) -> Int32 {
    for (index, attempt) in socketAttempts(on: loop).enumerated() {
        do {
            try attempt.call()
            return Int32(index + 1)
        } catch {
            guard let error = error as? SocketError, error.code == .loop, error.message.contains(reason) else {
                return Int32(index + 1)
            }
        }
    }
    return 0
}
