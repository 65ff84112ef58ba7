// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The values of task-locals that ``Signal/propagating(_:)`` has captured for one subscription.
///
/// A subscription whose ``SignalSubscription/context`` is not nil restores them wherever a thread enters its operators:
/// in a source, a job, a timer, a teardown and a change of its flow. Each task-local occurs once.
@usableFromInline
package final class PropagatedContext: Sendable {
    /// One task-local and its value.
    private protocol Entry: Sendable {
        var key: ObjectIdentifier { get }
        func restore(_ body: () -> Void)
    }

    private struct Captured<Value: Sendable>: Entry {
        let local: TaskLocal<Value>
        let value: Value

        var key: ObjectIdentifier { ObjectIdentifier(local) }

        func restore(_ body: () -> Void) { local.withValue(value, operation: body) }
    }

    private let entries: [any Entry]

    private init(_ entries: [any Entry]) { self.entries = entries }

    /// Captures the current values.
    package convenience init<each Value: Sendable>(capturing locals: repeat TaskLocal<each Value>) {
        var entries: [any Entry] = []
        repeat entries.append(Captured(local: each locals, value: (each locals).get()))
        self.init(entries)
    }

    /// Creates a context of one value that is not the current one.
    package convenience init<Value: Sendable>(_ local: TaskLocal<Value>, _ value: Value) {
        self.init([Captured(local: local, value: value)])
    }

    /// This context, and the values of `other` for the task-locals that this one does not contain.
    func over(_ other: PropagatedContext?) -> PropagatedContext {
        guard let other else { return self }
        let own = Set(entries.map(\.key))
        let others = other.entries.filter { !own.contains($0.key) }
        return others.isEmpty ? self : PropagatedContext(others + entries)
    }

    /// Calls `body` with the captured values. The caller holds no lock.
    @usableFromInline
    package func restore(_ body: () -> Void) { restore(entries[...], body) }

    private func restore(_ entries: ArraySlice<any Entry>, _ body: () -> Void) {
        guard let first = entries.first else { return body() }
        first.restore { restore(entries.dropFirst(), body) }
    }
}

extension SignalSubscription {
    /// The values that the subscription's operators and callbacks must see, or `nil` if nothing propagates any.
    ///
    /// A child inherits them. Operators read this once, when the subscription starts.
    @usableFromInline
    package final var context: PropagatedContext? { propagated }

    /// Calls `body` with the propagated values, if any.
    @usableFromInline
    package final func restoring(_ body: () -> Void) {
        if let context { context.restore(body) } else { body() }
    }

    /// Returns a sink that calls `sink` with the propagated values. Without such values, returns `sink`.
    @inlinable
    package final func restoring<Value, Failure>(_ sink: Sink<Value, Failure>) -> Sink<Value, Failure> {
        if let context { ContextSink(sink, context) } else { sink }
    }

    /// Returns a scheduler that runs its work with the propagated values. Without such values, returns `scheduler`.
    @usableFromInline
    package final func carrying(_ scheduler: any Scheduler) -> any Scheduler {
        if let context { ContextScheduler(scheduler, context) } else { scheduler }
    }

    /// Returns a scheduler that runs its work with the propagated values. Without such values, returns `scheduler`.
    @usableFromInline
    package final func carrying(_ scheduler: any TimedScheduler) -> any TimedScheduler {
        if let context { ContextTimers(scheduler, context) } else { scheduler }
    }

    /// Creates a child with the propagated values of `other`. Without such values, returns this subscription.
    @usableFromInline
    package final func carryingContext(of other: SignalSubscription) -> SignalSubscription {
        if let context = other.context { makeChild(passing: .asItIs, in: context) } else { self }
    }
}
