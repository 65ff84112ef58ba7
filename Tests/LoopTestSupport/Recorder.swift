import ReactiveSupport

/// Remembers values in the order in which they came, from any thread.
package final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Lock<[Value]>([])

    package init() {}

    package func append(_ value: Value) { recorded.withLock { recorded in recorded.append(value) } }

    package var values: [Value] { recorded.withLock { recorded in recorded } }

    package var count: Int { recorded.withLock { recorded in recorded.count } }
}

/// A variable that any thread may read and change.
package final class Box<Value: Sendable>: Sendable {
    private let stored: Lock<Value>

    package init(_ value: Value) { stored = Lock(value) }

    package var value: Value {
        get { stored.withLock { stored in stored } }
        set { stored.withLock { stored in stored = newValue } }
    }

    /// Changes it, and gives the result.
    @discardableResult
    package func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        stored.withLock { stored in body(&stored) }
    }
}

extension Box<Int> {
    @discardableResult
    package func increment() -> Int {
        update { value in
            value += 1
            return value
        }
    }
}

/// Says when it is let go of: for closures that have to be released.
package final class Canary: Sendable {
    private let gone: @Sendable () -> Void

    package init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }

    deinit { gone() }

    /// Something to do with it inside a closure, so that the closure holds it.
    package func sing() {}
}
