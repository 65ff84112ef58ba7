// SPDX-License-Identifier: MIT
import Synchronization

/// Counts the beginnings and ends of a loop's waits. The count is odd while the loop waits in its poller.
///
/// Only the thread that runs the loop changes the count. Any thread may read it. While the count is even and constant,
/// the loop runs callbacks without a wait in between. A change is one instruction on x86-64.
struct TurnPhase: ~Copyable {
    private let count = Atomic<UInt64>(0)

    /// Whether the loop waits. Read it on the thread that holds the loop's state.
    @inline(__always)
    var isWaiting: Bool { Self.isWait(value) }

    /// The current count.
    @inline(__always)
    var value: UInt64 { count.load(ordering: .relaxed) }

    static func isWait(_ value: UInt64) -> Bool { value & 1 != 0 }

    @inline(__always)
    func beginWait() { add(1) }

    @inline(__always)
    func endWait() { add(1) }

    /// Separates the callbacks of two runs.
    @inline(__always)
    func beginRun() { add(2) }

    @inline(__always)
    private func add(_ number: UInt64) {
        let now = count.load(ordering: .relaxed)
        count.store(now &+ number, ordering: .relaxed)
    }
}
