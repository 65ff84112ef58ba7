// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// The number of values that have passed a place of a subscription. Any thread may read it.
final class ValueCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// Adds one. Calls do not overlap, as those of a sink (law 2).
    func add() {
        let now = count.load(ordering: .relaxed)
        count.store(now &+ 1, ordering: .relaxed)
    }
}

/// A sink that counts values and passes them on. It exists only in subscriptions that began while values were counted.
final class CountingSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    private let next: Sink<Value, Failure>
    private let count: ValueCount

    init(_ next: Sink<Value, Failure>, _ count: ValueCount) {
        self.next = next
        self.count = count
    }

    override func receive(_ value: Value) {
        count.add()
        next.receive(value)
    }

    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
