// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Threads that repeat a closure until ``end()``.
package final class BusyThreads: Sendable {
    private let isOver: Box<Bool>
    private let warm: Box<Int>
    private let threads: [SystemThread]

    /// Starts `count` threads. Each thread calls `body` with its number repeatedly. A thread is warm after `rounds`
    /// calls.
    package init(_ count: Int, rounds: Int = 1, _ body: @escaping @Sendable (_ number: Int) -> Void) {
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

    /// Whether every thread is warm. Fork only then. A thread that uses a type for the first time holds a lock of
    /// Swift's runtime. If the process forks at that moment, the child never unlocks the lock.
    package var areWarm: Bool { warm.value == threads.count }

    /// Ends the threads, and waits until they have exited.
    package func end() {
        isOver.value = true
        for thread in threads { thread.join() }
    }
}
