// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Synchronization

/// An object that a loop calls and that any thread may dispose.
final class Racer: Sendable {
    enum Kind: String, CaseIterable {
        case timer, repeating, scheduled, watch, signal
    }

    let kind: Kind
    let handle = Box<(any Disposable)?>(nil)
    /// Whether a callback of the loop has ended after the disposal returned, or the disposal returned on the loop.
    /// Only the loop writes it.
    private let isOver = Atomic<Bool>(false)
    private let calls = Atomic<Int>(0)

    init(_ kind: Kind) { self.kind = kind }

    func markOver() { isOver.store(true, ordering: .relaxed) }

    /// Counts a call. Returns the number of calls, or `nil` if this call violates a rule.
    func count() -> Int? {
        isOver.load(ordering: .relaxed) ? nil : calls.add(1, ordering: .relaxed).newValue
    }
}
