// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import Synchronization

/// Handles a process signal in forked children as if they were the parent.
enum ChildHandler {
    private static let signal = Atomic<Int32>(0)
    private static let eventfd = Atomic<Int32>(-1)

    static func install(_ number: Int32, _ descriptor: Int32) {
        signal.store(number, ordering: .relaxed)
        eventfd.store(descriptor, ordering: .relaxed)
        // Runs after the handler that CReactive registered at program start.
        pthread_atfork(nil, nil) {
            Glibc.signal(ChildHandler.signal.load(ordering: .relaxed)) { _ in
                reactive_eventfd_signal(ChildHandler.eventfd.load(ordering: .relaxed))
            }
        }
    }
}
