// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The commands that wait for the thread that delivers a broadcast: values, limited by a policy, and other commands.
///
/// The two kinds have separate queues, so that the oldest value can be dropped. A number for each command keeps their
/// common order.
@usableFromInline
struct CommandQueue<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias Command = Broadcast<Value, Failure>.Command

    @usableFromInline
    let policy: BufferPolicy
    @usableFromInline
    var values = FIFO<(place: Int, value: Value)>()
    @usableFromInline
    var others = FIFO<(place: Int, command: Command)>()
    @usableFromInline
    var last = 0

    @inlinable
    init(_ policy: BufferPolicy) {
        self.policy = policy
    }

    /// Adds a command. Returns the value that is dropped for it, if any.
    @inlinable
    mutating func append(_ command: Command) -> Value? {
        last += 1
        guard case .event(.value(let value)) = command else {
            others.append((last, command))
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

    /// Removes and returns the oldest command.
    @inlinable
    mutating func popFirst() -> Command? {
        if let value = values.first, value.place < others.first?.place ?? .max {
            _ = values.popFirst()
            return .event(.value(value.value))
        }
        return others.popFirst()?.command
    }
}
