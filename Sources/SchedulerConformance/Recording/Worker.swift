// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A thread that runs one closure, and for which other threads can wait.
package final class Worker: Sendable {
    private let thread: SystemThread

    package init(_ body: @escaping @Sendable () -> Void) {
        thread = SystemThread.orTrap(name: "kit-worker", body)
    }

    package func join() { thread.join() }
}
