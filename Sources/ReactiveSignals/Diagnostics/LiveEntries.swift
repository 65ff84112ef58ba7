// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The subscriptions that the ``LiveGraph`` has recorded, for itself and for leak checks. Ended ones are removed from
/// time to time.
struct LiveEntries: Sendable {
    struct Entry: Sendable {
        let subscription: UnsafeTransfer<Weak<SignalSubscription>>
        let number: Int
        var name: String
        var file: String?
        var line: UInt?
        /// The location of the call of `subscribe`, or a peer.
        var subscriber: String?
        var parent: Int?
        /// Whether the subscription is an operator's input, which is disposed with its parent.
        let isInput: Bool
        /// Whether the graph has been on since the subscription began. `LiveGraph.snapshot()` returns only such
        /// subscriptions.
        var isInGraph: Bool
        /// The leak check in which the subscription began.
        let scope: LeakScope?
        var waiting: (@Sendable () -> Int)?
        /// The pauses that began at this subscription. Those passed on to it are not included.
        var pauses = OwnPauses()
        /// The number of values that the subscriber has received. `nil` if they are not counted.
        var values: ValueCount?
        /// The named signals that the values pass, the one closest to the subscriber first.
        var stages: [(stage: LiveSnapshot.Stage, count: ValueCount)] = []
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var last = 0
    /// Whether the program has switched the graph on.
    var isStarted = false
    /// Whether the program has switched the counting of values on.
    var isCounting = false
    /// The number of leak checks that are running.
    var checks = 0
    /// The number of observers of the graph, such as the pages of a dashboard.
    var observers = 0
    /// The number of entries at which the ended ones are removed.
    private var limit = 1024

    /// Whether subscriptions must be recorded.
    var isNeeded: Bool { isGraphNeeded || checks > 0 }

    private var isGraphNeeded: Bool { isStarted || observers > 0 }

    /// Removes the entries that nothing needs any more. The caller releases the result outside the lock. The same applies
    /// to the functions below.
    mutating func removeUnneeded() -> [Any] {
        if isGraphNeeded { return [] }
        let all = entries
        entries = checks == 0 ? [:] : all.filter { $0.value.scope != nil }
        for key in entries.keys { entries[key]?.isInGraph = false }
        return [all]
    }

    /// Adds a subscription if the graph or a leak check needs it. An operator's input belongs to the leak check of its
    /// parent.
    mutating func add(
        _ subscription: SignalSubscription,
        _ name: String,
        _ file: String?,
        _ line: UInt?,
        _ parent: SignalSubscription?
    ) -> [Any] {
        let known = parent.flatMap { update($0) { $0 } }
        let scope = known?.scope ?? LeakScope.current
        guard isGraphNeeded || scope != nil else { return [] }
        var rubbish: [Any] = []
        if entries.count >= limit {
            let held = held()
            rubbish = [entries, held]
            let alive = held.filter { !$0.1.isDisposed }
            entries = Dictionary(uniqueKeysWithValues: alive.map { (ObjectIdentifier($0.1), $0.0) })
            limit = max(1024, entries.count * 2)
        }
        last += 1
        let old = entries.updateValue(
            Entry(
                subscription: UnsafeTransfer(Weak(subscription)),
                number: last,
                name: name,
                file: file,
                line: line,
                subscriber: file.flatMap { file in line.map { "\(file):\($0)" } },
                parent: known?.number,
                isInput: parent != nil,
                isInGraph: isGraphNeeded,
                scope: scope
            ),
            forKey: ObjectIdentifier(subscription)
        )
        if let old { rubbish.append(old) }
        return rubbish
    }

    /// Adds a subscription that the caller of `subscribe` has created, unless it is known.
    mutating func find(_ subscription: SignalSubscription) -> [Any] {
        update(subscription) { _ in } == nil ? add(subscription, "subscription", nil, nil, nil) : []
    }

    /// Names a subscription, and adds it if it is not known.
    mutating func rename(_ subscription: SignalSubscription, _ name: String, _ file: String, _ line: UInt) -> [Any] {
        let known: Void? = update(subscription) { entry in
            // Several operators share one subscription. The names are in the order in which values pass the operators.
            entry.name = entry.name == "subscription" ? name : "\(name), \(entry.name)"
            entry.file = file
            entry.line = line
        }
        return known == nil ? add(subscription, name, file, line, nil) : []
    }

    mutating func name(_ subscription: SignalSubscription, _ name: String, for subscriber: String) -> [Any] {
        let rubbish = find(subscription)
        _ = update(subscription) { entry in
            entry.name = name
            entry.subscriber = subscriber
        }
        return rubbish
    }

    /// Returns a new counter of values, which `store` puts into the entry. `nil` means that they are not counted.
    mutating func countValues(
        of subscription: SignalSubscription,
        _ store: (inout Entry, ValueCount) -> Void
    ) -> ValueCount? {
        guard isCounting || observers > 0 else { return nil }
        return update(subscription) { entry in
            let count = ValueCount()
            store(&entry, count)
            return count
        }
    }

    /// Changes the entry of a subscription. Returns `nil` if it has none.
    mutating func update<Result>(_ subscription: SignalSubscription, _ body: (inout Entry) -> Result) -> Result? {
        // A new object may have the address of a freed one.
        guard let index = entries.index(forKey: ObjectIdentifier(subscription)),
            entries.values[index].subscription.value.object === subscription
        else { return nil }
        return body(&entries.values[index])
    }

    /// The subscriptions that still exist, including ended ones. Each reference may be the last, so none is released
    /// here.
    func held() -> [(Entry, SignalSubscription)] {
        entries.values.compactMap { entry in entry.subscription.value.object.map { (entry, $0) } }
    }
}
