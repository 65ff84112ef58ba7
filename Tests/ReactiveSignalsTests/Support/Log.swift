// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The failures in these tests.
enum TestError: Error, Equatable {
    case broken
    case other
}

/// A thread-safe list.
final class Log<Entry: Sendable>: Sendable {
    private let lock = Lock<[Entry]>([])

    var entries: [Entry] { lock.withLock { $0 } }
    var count: Int { lock.withLock { $0.count } }

    func add(_ entry: Entry) { lock.withLock { $0.append(entry) } }
}

/// Records all events of one subscription.
final class Recorder<Value: Sendable & Equatable, Failure: Error & Equatable>: Observer {
    private let log = Log<Event<Value, Failure>>()

    var events: [Event<Value, Failure>] { log.entries }
    var values: [Value] { events.compactMap { if case .value(let value) = $0 { value } else { nil } } }
    var end: Termination<Failure>? {
        if case .ended(let termination) = events.last { termination } else { nil }
    }

    func receive(_ value: Value) { log.add(.value(value)) }
    func receive(termination: Termination<Failure>) { log.add(.ended(termination)) }
}

extension Signal where Value: Equatable, Failure: Equatable {
    /// Subscribes a new recorder.
    func record(in subscription: SignalSubscription = SignalSubscription()) -> Recorder<Value, Failure> {
        let recorder = Recorder<Value, Failure>()
        subscribe(recorder, in: subscription)
        return recorder
    }
}

/// An object whose release a test observes with a weak reference.
final class Witness: Sendable {
    func touch() {}
}

/// The endless sequence 0, 1, 2, ….
struct Naturals: Sequence, IteratorProtocol, Sendable {
    private var last = -1

    mutating func next() -> Int? {
        last += 1
        return last
    }
}
