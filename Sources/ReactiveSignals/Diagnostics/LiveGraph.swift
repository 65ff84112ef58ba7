// SPDX-License-Identifier: MIT
package import ReactiveSupport
public import Synchronization

/// The live subscriptions, their names and their dependencies, for finding leaks.
///
/// Recording is off until ``start()``. While off, it costs each subscription one load. While on, it records every
/// subscription that begins, with its source location, and each input of an operator, with the operator's name.
/// ``Signal/named(_:file:line:)`` names a signal.
///
/// A leak check (`withLeakCheck` of ReactiveTesting) also records subscriptions. ``snapshot()`` does not return those.
///
/// The graph retains no subscription. Any thread may call it. Only subscriptions are tracked: a `Signal` is a value,
/// and does nothing until it is subscribed to.
public enum LiveGraph {
    @usableFromInline
    static let on = Atomic<Bool>(false)
    static let entries = ProgramLock(LiveEntries())

    /// Whether new subscriptions are recorded, because of ``start()`` or because a leak check is running.
    @inlinable
    public static var isOn: Bool { on.load(ordering: .relaxed) }

    /// Starts to record subscriptions that begin from now on. Later calls do nothing until ``stop()``.
    public static func start() { change { $0.isStarted = true } }

    /// Also counts the values that subscribers receive, and those that pass named signals, in subscriptions that begin
    /// from now on while the graph is on. ``stop()`` ends it for new subscriptions.
    ///
    /// A counted subscription costs a virtual call and an increment for each value and each name, until it ends.
    public static func countValues() { change { $0.isCounting = true } }

    /// Records subscriptions and counts values until ``endObserving()``, in addition to ``start()``. Calls nest.
    package static func beginObserving() { change { $0.observers += 1 } }

    /// Whether ``beginObserving()`` is in effect.
    package static var isObserved: Bool { entries.withLock { $0.observers > 0 } }

    /// Ends the recording that ``beginObserving()`` began.
    package static func endObserving() { change { $0.observers -= 1 } }

    /// Stops recording and deletes the records, except those of running leak checks.
    public static func stop() {
        change { entries in
            entries.isStarted = false
            entries.isCounting = false
        }
    }

    /// Records the subscriptions of leak checks until ``endCheck()``. Calls nest.
    package static func beginCheck() {
        entries.withLock { entries in
            entries.checks += 1
            on.store(true, ordering: .relaxed)
        }
    }

    /// Ends the recording that ``beginCheck()`` began.
    package static func endCheck() {
        _ = entries.withLock { entries -> UnsafeTransfer<[Any]> in
            entries.checks -= 1
            on.store(entries.isNeeded, ordering: .relaxed)
            // While something else needs the entries, there is nothing to remove.
            return UnsafeTransfer(entries.isNeeded ? [] : entries.removeUnneeded())
        }
    }

    /// Applies a change, and removes the entries that are not needed after it.
    private static func change(_ body: (inout LiveEntries) -> Void) {
        // Returned from the closure, so it is released outside the lock: a reference may be the last.
        _ = entries.withLock { entries in
            body(&entries)
            on.store(entries.isNeeded, ordering: .relaxed)
            return UnsafeTransfer(entries.removeUnneeded())
        }
    }

    /// Returns the live subscriptions that began since ``start()``, or none after ``stop()``. They are read one after
    /// the other, not atomically.
    public static func snapshot() -> LiveSnapshot { snapshot { $0.isInGraph } }

    /// Returns the live subscriptions that began within a leak check, without the inputs of operators.
    package static func snapshot(of scope: LeakScope) -> LiveSnapshot {
        snapshot { entry in !entry.isInput && entry.scope?.isWithin(scope) == true }
    }

    private static func snapshot(_ isIncluded: (LiveEntries.Entry) -> Bool) -> LiveSnapshot {
        // Released outside the lock, because each reference may be the last.
        let held = entries.withLock { $0.held() }
        let unsorted = held.filter { isIncluded($0.0) && !$0.1.isDisposed }
        // Sorts numbers, because moving an entry with its weak reference is slow.
        let order = unsorted.map(\.0.number).enumerated().sorted { $0.element < $1.element }
        let alive = order.map { unsorted[$0.offset] }
        let causes = alive.contains { $0.1.isPaused } ? PauseCauses(alive) : nil
        return LiveSnapshot(
            nodes: alive.map { entry, subscription in
                LiveSnapshot.Node(
                    number: entry.number,
                    name: entry.name,
                    file: entry.file,
                    line: entry.line,
                    subscriber: entry.subscriber,
                    parent: entry.parent,
                    isPaused: subscription.isPaused,
                    waiting: entry.waiting.map { $0() },
                    pause: causes?.pause(of: subscription),
                    values: entry.values?.value,
                    stages: entry.stages.map { stage, count in stage.counting(count.value) }
                )
            }
        )
    }

    /// Records a subscription that `subscribe` has created.
    @usableFromInline
    @inline(never)
    package static func track(_ subscription: SignalSubscription, _ file: StaticString, _ line: UInt) {
        _ = entries.withLock { $0.add(subscription, "subscription", "\(file)", line, nil) }
    }

    /// Records a subscription that `subscribe` has created. Returns the sink to start with.
    @usableFromInline
    @inline(never)
    static func track<Value: Sendable, Failure: Error>(
        _ subscription: SignalSubscription,
        _ file: StaticString,
        _ line: UInt,
        counting sink: Sink<Value, Failure>
    ) -> Sink<Value, Failure> {
        track(subscription, file, line)
        return counted(sink, subscription) { $0.values = $1 }
    }

    /// Records a subscription that the caller of `subscribe` has created, unless it is known. Returns the sink to start
    /// with.
    @usableFromInline
    @inline(never)
    static func found<Value: Sendable, Failure: Error>(
        _ subscription: SignalSubscription,
        counting sink: Sink<Value, Failure>
    ) -> Sink<Value, Failure> {
        _ = entries.withLock { $0.find(subscription) }
        return counted(sink, subscription) { $0.values = $1 }
    }

    /// Names a subscription after its signal. Returns the sink to start the signal with.
    @usableFromInline
    @inline(never)
    static func rename<Value: Sendable, Failure: Error>(
        _ subscription: SignalSubscription,
        _ name: String,
        _ file: StaticString,
        _ line: UInt,
        counting sink: Sink<Value, Failure>
    ) -> Sink<Value, Failure> {
        _ = entries.withLock { $0.rename(subscription, name, "\(file)", line) }
        let stage = LiveSnapshot.Stage(name: name, file: "\(file)", line: line, values: 0)
        return counted(sink, subscription) { $0.stages.append((stage, $1)) }
    }

    /// Returns a sink that counts the values for `sink`, if values are counted. `store` puts the counter into the entry.
    private static func counted<Value: Sendable, Failure: Error>(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ store: (inout LiveEntries.Entry, ValueCount) -> Void
    ) -> Sink<Value, Failure> {
        let count = entries.withLock { $0.countValues(of: subscription, store) }
        return count.map { CountingSink(sink, $0) } ?? sink
    }

    /// Names a subscription that a module of this package has created, such as that of `Connection.send(from:)`, and the
    /// peer that receives its values.
    package static func name(_ subscription: SignalSubscription, _ name: String, for subscriber: String) {
        _ = entries.withLock { $0.name(subscription, name, for: subscriber) }
    }

    /// Records that a pause begins at this subscription, or that one has ended: `change` is 1 or -1.
    @inline(never)
    static func changePauses(of subscription: SignalSubscription, by change: Int, _ kind: PauseKind) {
        _ = entries.withLock { $0.update(subscription) { $0.pauses.add(change, kind) } }
    }

    /// Records an operator's input.
    @inline(never)
    static func track(_ child: SignalSubscription, _ name: StaticString, under parent: SignalSubscription) {
        _ = entries.withLock { $0.add(child, "\(name)", nil, nil, parent) }
    }

    /// Sets how to count the values that wait on the way to a subscription. `count` must retain nothing.
    @usableFromInline
    @inline(never)
    static func measure(_ subscription: SignalSubscription, _ count: @escaping @Sendable () -> Int) {
        _ = entries.withLock { entries in
            entries.update(subscription) { entry in
                let earlier = entry.waiting
                entry.waiting = { (earlier?() ?? 0) + count() }
            }
        }
    }
}
