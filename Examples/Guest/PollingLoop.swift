// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// A host loop that is not part of this package. It waits for one descriptor, and calls `tick` when it has waited 100
/// ms without an event.
final class PollingLoop: Sendable {
    private struct Watch {
        let descriptor: Int32
        let ready: @Sendable () -> Void
    }

    private let watched = Mutex<Watch?>(nil)

    func watch(_ descriptor: Int32, _ ready: @escaping @Sendable () -> Void) {
        watched.withLock { watched in watched = Watch(descriptor: descriptor, ready: ready) }
    }

    func unwatch() { watched.withLock { watched in watched = nil } }

    /// Runs until nothing is watched.
    func run(tick: () -> Void) {
        while let watch = watched.withLock({ watched in watched }) {
            var request = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&request, 1, 100) > 0 { watch.ready() } else { tick() }
        }
    }
}
