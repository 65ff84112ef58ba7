// SPDX-License-Identifier: MIT
import Synchronization

/// Whether a server has begun to drain. The contexts of its connections share it, so a connection needs no memory for
/// it.
final class DrainMark: Sendable {
    private let isSet = Atomic<Bool>(false)

    /// Whether the drain has begun. Any thread may read it.
    var hasBegun: Bool { isSet.load(ordering: .acquiring) }

    /// Records that the drain has begun. Any thread may call it.
    func begin() { isSet.store(true, ordering: .releasing) }
}
