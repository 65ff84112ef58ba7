// SPDX-License-Identifier: MIT
#if NATS
    import Synchronization

    /// A variable that `@Sendable` closures can capture. Only the loop's thread uses it, so the lock is always free.
    final class Box<Value: Sendable>: Sendable {
        private let stored: Mutex<Value>

        init(_ value: Value) { stored = Mutex(value) }

        var value: Value {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }

        func update<Result: Sendable>(_ change: @Sendable (inout Value) -> Result) -> Result {
            stored.withLock { change(&$0) }
        }
    }
#endif
