// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Threads that repeat a closure until they are ended.
package final class BusyThreads: Sendable {
    private let isOver: Box<Bool>
    private let warm: Box<Int>
    private let threads: [SystemThread]

    /// Starts `count` threads. Each calls `body` with its number repeatedly, and is warm after `rounds` calls.
    package init(_ count: Int, rounds: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
        let (isOver, warm) = (Box(false), Box(0))
        threads = (0..<count).map { number in
            SystemThread.orTrap(name: "busy") {
                var done = 0
                while !isOver.value {
                    body(number)
                    done += 1
                    if done == rounds { warm.increment() }
                }
            }
        }
        (self.isOver, self.warm) = (isOver, warm)
    }

    /// Whether every thread is warm. Fork only then: a thread that uses a type for the first time holds a lock of
    /// Swift's runtime, and in a child that is forked at that moment the lock is never unlocked.
    package var areWarm: Bool { warm.value == threads.count }

    /// Ends the threads, and waits for them.
    package func end() {
        isOver.value = true
        for thread in threads { thread.join() }
    }
}
