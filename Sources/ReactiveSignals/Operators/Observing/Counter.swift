// SPDX-License-Identifier: MIT
import Synchronization

/// A thread-safe counter. The first number is 1.
final class Counter: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
