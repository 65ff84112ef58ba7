// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A variable that any thread may read and change.
package final class Box<Value: Sendable>: Sendable {
    private let stored: Lock<Value>
    private let birth: Birth?

    package init(_ value: Value, file: StaticString = #fileID, line: Int = #line) {
        stored = Lock(value)
        birth = Birth.of("a variable", file, line)
    }

    package var value: Value {
        get { stored.withLock { stored in stored } }
        set {
            // The old value is released outside the lock, because it may be the last reference to an object.
            let old = stored.withLock { stored in
                let old = stored
                stored = newValue
                return old
            }
            _ = old
        }
    }

    /// Changes the value, and returns the closure's result.
    @discardableResult
    package func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        stored.withLock { stored in body(&stored) }
    }
}

extension Box<Int> {
    /// Adds to the value, and returns the sum.
    @discardableResult
    package func increment(by step: Int = 1) -> Int {
        update { value in
            value += step
            return value
        }
    }
}
