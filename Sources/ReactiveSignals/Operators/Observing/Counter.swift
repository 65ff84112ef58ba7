import Synchronization

/// Numbers that are given out once each, from 1 on, to any thread.
final class Counter: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
