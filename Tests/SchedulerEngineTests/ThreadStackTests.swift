// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance
import Testing

/// Captures of a thread that only sleeps. They also run under ThreadSanitizer, which delivers signals to such a thread at
/// once. `make tsan` skips the suites of watchdogs, whose threads are busy.
@Suite struct ThreadStackTests {
    @Test("Several threads capture the stack of a sleeping thread, and ThreadSanitizer finds no race")
    func sleeping() throws {
        let (thread, isOver) = (Box<ThreadStack.Thread?>(nil), Box(false))
        let sleeper = TestThread {
            SignalMask.clear()
            thread.value = .current
            while !isOver.value { usleep(1000) }  // allowed: ThreadSanitizer delivers the signal in this call
        }
        defer { isOver.value = true }
        try waitUntil("the thread") { thread.value != nil }
        let number = try #require(thread.value)
        let capturers = (0..<3).map { _ in
            TestThread {
                for _ in 0..<20 {
                    // The limit is longer than a pause of the machine.
                    let stack = try ThreadStack(of: number, within: 60_000_000_000)
                    #expect(!stack.addresses.isEmpty)
                }
            }
        }
        for capturer in capturers { try capturer.join("a capture") }
        isOver.value = true
        try sleeper.join()
    }
}
