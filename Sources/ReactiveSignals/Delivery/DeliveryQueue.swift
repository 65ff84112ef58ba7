// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The steps that wait for the thread that delivers a broadcast: values, limited by a policy, and other steps.
///
/// The two kinds have separate queues, so that the oldest value can be dropped. A number for each step keeps their
/// common order.
@usableFromInline
struct DeliveryQueue<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias Step = Broadcast<Value, Failure>.DeliveryStep

    @usableFromInline
    let policy: BufferPolicy
    @usableFromInline
    var values = FIFO<(index: Int, value: Value)>()
    @usableFromInline
    var others = FIFO<(index: Int, step: Step)>()
    @usableFromInline
    var last = 0

    @inlinable
    init(_ policy: BufferPolicy) {
        self.policy = policy
    }

    /// Adds a step. Returns the value that is dropped for it, if any.
    @inlinable
    mutating func append(_ step: Step) -> Value? {
        last += 1
        guard case .event(.value(let value)) = step else {
            others.append((last, step))
            return nil
        }
        guard values.count >= policy.limit else {
            values.append((last, value))
            return nil
        }
        if policy.full == .dropNewest || policy.limit == 0 { return value }
        let dropped = values.popFirst()?.value
        values.append((last, value))
        return dropped
    }

    /// Removes and returns the oldest step.
    @inlinable
    mutating func popFirst() -> Step? {
        if let value = values.first, value.index < others.first?.index ?? .max {
            _ = values.popFirst()
            return .event(.value(value.value))
        }
        return others.popFirst()?.step
    }
}
