// SPDX-License-Identifier: MIT
import Synchronization

/// A value that work on several loops may change.
final class SharedValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    @discardableResult
    func update<Result: Sendable>(_ change: (inout sending Value) -> sending Result) -> Result {
        state.withLock(change)
    }
}
