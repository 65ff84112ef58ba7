import ReactiveSupport
public import Synchronization

/// Which subscriptions are alive, what they are called and what hangs on what: for finding out who has not let go.
///
/// It is off until ``start()`` and costs a subscription one load then. While it is on, every subscription that begins is
/// written down with the place in the program where it begins, and each input of an operator with the operator's name; a
/// signal gets a name of your own by ``Signal/named(_:file:line:)``. Nothing is kept alive by it. Any thread may call.
/// A signal is a value and has no life of its own: what lives, and what can leak, is a subscription.
public enum LiveGraph {
    @usableFromInline
    static let on = Atomic<Bool>(false)
    static let entries = ProgramLock(LiveEntries())

    /// Whether subscriptions that begin now are written down.
    @inlinable
    public static var isOn: Bool { on.load(ordering: .relaxed) }

    /// Writes down what begins from now on. Twice is once.
    public static func start() { on.store(true, ordering: .relaxed) }

    /// Writes nothing down any more, and forgets what there was.
    public static func stop() {
        on.store(false, ordering: .relaxed)
        _ = entries.withLock { entries in
            let all = entries
            entries = LiveEntries()
            return all
        }
    }

    /// What is alive now, of what began since ``start()``; one after the other looked at, not all at one instant.
    public static func snapshot() -> LiveSnapshot {
        // The subscriptions are let go of outside the lock, as the last reference may be the one held here.
        let held = entries.withLock { $0.held() }
        let alive = held.filter { !$0.1.isDisposed }.sorted { $0.0.number < $1.0.number }
        return LiveSnapshot(
            nodes: alive.map { entry, subscription in
                LiveSnapshot.Node(
                    number: entry.number,
                    name: entry.name,
                    file: entry.file,
                    line: entry.line,
                    parent: entry.parent,
                    isPaused: subscription.isPaused,
                    waiting: entry.waiting.map { $0() }
                )
            }
        )
    }

    /// Writes down a subscription that somebody has made by subscribing.
    @usableFromInline
    @inline(never)
    static func track(_ subscription: SignalSubscription, _ file: StaticString, _ line: UInt) {
        _ = entries.withLock { $0.add(subscription, "subscription", "\(file)", line, nil) }
    }

    /// Writes down a subscription that has come from outside, unless it is known.
    @usableFromInline
    @inline(never)
    static func found(_ subscription: SignalSubscription) {
        _ = entries.withLock { $0.find(subscription) }
    }

    /// Writes down an operator's input.
    @inline(never)
    static func track(_ child: SignalSubscription, _ name: StaticString, under parent: SignalSubscription) {
        _ = entries.withLock { $0.add(child, "\(name)", nil, nil, parent) }
    }

    /// Gives a subscription the name that its signal has.
    @usableFromInline
    @inline(never)
    static func rename(_ subscription: SignalSubscription, _ name: String, _ file: StaticString, _ line: UInt) {
        _ = entries.withLock { $0.rename(subscription, name, "\(file)", line) }
    }

    /// Says how to find out how much waits on the way to a subscription; `count` must keep nothing alive.
    @usableFromInline
    @inline(never)
    static func measure(_ subscription: SignalSubscription, _ count: @escaping @Sendable () -> Int) {
        _ = entries.withLock { $0.measure(subscription, count) }
    }
}
