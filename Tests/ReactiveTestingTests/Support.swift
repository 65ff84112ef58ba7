// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A thread-safe list.
final class Log<Entry: Sendable>: Sendable {
    private let lock = Lock<[Entry]>([])

    var entries: [Entry] { lock.withLock { $0 } }
    var count: Int { entries.count }

    func add(_ entry: Entry) { lock.withLock { $0.append(entry) } }
}

/// A thread-safe variable.
final class Box<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) { lock = Lock(value) }

    var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }
}

/// An object whose release a test observes with a weak reference.
final class Witness: Sendable {
    func touch() {}
}

enum TestError: Error, Equatable {
    case broken
}
