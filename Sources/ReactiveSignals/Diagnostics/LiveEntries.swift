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
    private var isStarted = false
    /// The number of leak checks that are running.
    private var checks = 0
    /// The number of observers of the graph, such as the pages of a dashboard.
    private var observers = 0
    private var isCounting = false
    /// The number of entries at which the ended ones are removed.
    private var limit = 1024

    /// Whether subscriptions must be recorded.
    var isNeeded: Bool { isGraphNeeded || checks > 0 }

    var isObserved: Bool { observers > 0 }

    private var isGraphNeeded: Bool { isStarted || observers > 0 }

    /// Whether the values of new subscriptions must be counted.
    var countsValues: Bool { isCounting || observers > 0 }

    mutating func start() { isStarted = true }

    mutating func startCounting() { isCounting = true }

    mutating func beginObserving() { observers += 1 }

    mutating func endObserving() -> [Any] {
        observers -= 1
        return isGraphNeeded ? [] : dropGraph()
    }

    /// Removes the entries that only the graph needed. The caller releases the result outside the lock. The same
    /// applies to the functions below.
    mutating func stop() -> [Any] {
        isStarted = false
        isCounting = false
        return observers > 0 ? [] : dropGraph()
    }

    private mutating func dropGraph() -> [Any] {
        let all = entries
        entries = checks == 0 ? [:] : all.filter { $0.value.scope != nil }
        for key in entries.keys { entries[key]?.isInGraph = false }
        return [all]
    }

    mutating func beginCheck() { checks += 1 }

    mutating func endCheck() -> [Any] {
        checks -= 1
        guard !isNeeded else { return [] }
        let all = entries
        entries = [:]
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
        let known = parent.flatMap { number(of: $0) == nil ? nil : entries[ObjectIdentifier($0)] }
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
        number(of: subscription) == nil ? add(subscription, "subscription", nil, nil, nil) : []
    }

    /// Names a subscription, and adds it if it is not known.
    mutating func rename(_ subscription: SignalSubscription, _ name: String, _ file: String, _ line: UInt) -> [Any] {
        guard number(of: subscription) != nil else { return add(subscription, name, file, line, nil) }
        let key = ObjectIdentifier(subscription)
        // Several operators share one subscription. The names are in the order in which values pass the operators.
        let first = entries[key]?.name ?? ""
        entries[key]?.name = first == "subscription" ? name : "\(name), \(first)"
        entries[key]?.file = file
        entries[key]?.line = line
        return []
    }

    mutating func name(_ subscription: SignalSubscription, _ name: String, for subscriber: String) -> [Any] {
        let rubbish = find(subscription)
        guard number(of: subscription) != nil else { return rubbish }
        entries[ObjectIdentifier(subscription)]?.name = name
        entries[ObjectIdentifier(subscription)]?.subscriber = subscriber
        return rubbish
    }

    mutating func measure(_ subscription: SignalSubscription, _ count: @escaping @Sendable () -> Int) -> [Any] {
        guard number(of: subscription) != nil else { return [] }
        let key = ObjectIdentifier(subscription)
        let old = entries[key]?.waiting
        if let old {
            entries[key]?.waiting = { old() + count() }
        } else {
            entries[key]?.waiting = count
        }
        return []
    }

    /// Adds a pause of this subscription, or removes one.
    mutating func pause(_ subscription: SignalSubscription, _ kind: PauseKind, _ change: Int) {
        guard number(of: subscription) != nil else { return }
        entries[ObjectIdentifier(subscription)]?.pauses.add(change, kind)
    }

    /// Returns the counter of the values that the subscriber receives. `nil` means that they are not counted.
    mutating func countValues(of subscription: SignalSubscription) -> ValueCount? {
        guard countsValues, number(of: subscription) != nil else { return nil }
        let count = ValueCount()
        entries[ObjectIdentifier(subscription)]?.values = count
        return count
    }

    /// Returns the counter of the values that pass a named signal. `nil` means that they are not counted.
    mutating func countStage(_ stage: LiveSnapshot.Stage, of subscription: SignalSubscription) -> ValueCount? {
        guard countsValues, number(of: subscription) != nil else { return nil }
        let count = ValueCount()
        entries[ObjectIdentifier(subscription)]?.stages.append((stage, count))
        return count
    }

    /// The subscriptions that still exist, including ended ones. Each reference may be the last, so none is released
    /// here.
    func held() -> [(Entry, SignalSubscription)] {
        entries.values.compactMap { entry in entry.subscription.value.object.map { (entry, $0) } }
    }

    private func number(of subscription: SignalSubscription) -> Int? {
        guard let entry = entries[ObjectIdentifier(subscription)] else { return nil }
        // A new object may have the address of a freed one.
        return entry.subscription.value.object === subscription ? entry.number : nil
    }
}
