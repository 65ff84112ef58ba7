public import ReactiveCore
import ReactiveSupport
public import Synchronization

/// The subscription that signals work with: whether it is over, how many holds are out, and what is to be given back.
///
/// Every member may be called from any thread, also from inside a delivery, a teardown or a flow change. It ends once, by
/// ``dispose()`` or with the signal; after that adding a teardown runs it at once, and holds change nothing (law 5). One
/// subscription is for one `subscribe` call: given to two, it ends both with the first.
public class SignalSubscription: Subscription {
    /// Bit 0: disposed. From bit 1 on: how many holds are out, its own and those of what it depends on.
    @usableFromInline
    final let state = Atomic<UInt32>(0)
    /// What the first listener that receives pauses has received, as ``FlowNotes`` reads it. Written under the ledger's lock.
    final let flowNotes = Atomic<UInt8>(0)

    final let ledger = Lock(SubscriptionLedger())

    /// Makes a subscription nobody has ended or paused.
    public init() {}

    /// Takes apart what nobody has ended, one after the other, so that depth costs no stack.
    deinit {
        if isDisposed { return }
        var pending = takeLinks()
        while var next = pending.popLast() {
            if isKnownUniquelyReferenced(&next) { pending += next.takeLinks() }
        }
    }

    private final func takeLinks() -> [SignalSubscription] {
        ledger.withLock { ledger in ledger.takeLinks() }
    }

    /// Whether values may be delivered now: one load, for the path of every value.
    @inlinable
    package final var isOpen: Bool { state.load(ordering: .acquiring) == 0 }

    /// Whether it is over: disposed, or ended with the signal.
    @inlinable
    public final var isDisposed: Bool { state.load(ordering: .acquiring) & 1 != 0 }

    /// Whether at least one hold is out, its own or of what it depends on.
    @inlinable
    public final var isPaused: Bool { state.load(ordering: .acquiring) >= 2 }

    /// Whether whoever listens has been told to wait, and not yet to go on: what a source may rest on.
    ///
    /// Being told comes from any thread, in order; what a loop makes of it comes later, as work that may overtake other such
    /// work. So the work carries no answer: it looks here. And a source does not rest on a pause that it has only seen: what has
    /// not been said is not taken back either, and it would rest for good. What is kept is what the first who hears of pauses was told; one that
    /// is added later hears of the end as well, and so a source listens before it looks.
    package final var isPauseReported: Bool { FlowNotes(flowNotes.load(ordering: .acquiring)).lastReported }

    /// Ends it: runs the teardowns in the order in which they were added, with no lock held, then ends the children.
    ///
    /// The second and every later call does nothing, and does not wait for the first.
    public final func dispose() { _ = end() }

    /// Runs `teardown` once, when it ends, on the thread that ends it; at once if it has ended.
    public final func onDispose(_ teardown: @escaping @Sendable () -> Void) {
        if !add(.end(teardown)) { teardown() }
    }

    /// Asks the source to wait until the result is disposed; each call is a hold of its own (law 11).
    public final func pause() -> any Disposable {
        addPause()
        return SubscriptionPause(self)
    }

    /// Calls `change` when the first hold is taken and when the last is given back; at once if there is one now.
    ///
    /// Calls do not overlap, and `true` and `false` alternate. What changes during a call is told after it.
    public final func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void) {
        if add(.flow(change)), isPaused { reportFlow() }
    }

    /// Calls `change` as ``onDispose(_:)`` and ``onFlowChange(_:)`` would, each time and in no other order: one closure for both,
    /// since a subscription has room for one.
    ///
    /// The end may come while another thread tells of a pause, and before that.
    @usableFromInline
    package final func onChange(_ change: @escaping @Sendable (SubscriptionChange) -> Void) {
        if !add(.changes(change)) { change(.over) } else if isPaused { reportFlow() }
    }

    /// Whether it is not over, and the listener has been added.
    private final func add(_ listener: SubscriptionListener) -> Bool {
        ledger.withLock { ledger in
            // Looked at once: it may be disposed meanwhile, and then tells who has been added.
            if isDisposed { return false }
            withNotes { notes in ledger.add(listener, isPaused: isPaused, &notes) }
            return true
        }
    }

    /// Makes a subscription that ends with this one and waits while this one waits, and may end earlier by itself.
    ///
    /// It is for an operator with several inputs, or one that outlives its input: each input gets a child, which the
    /// operator disposes as soon as the input has ended (law 6). An ended child leaves nothing behind here. The child of
    /// an ended subscription has ended. `name` is for the ``LiveGraph``: by default the function in which it is made, which
    /// is the operator.
    public final func makeChild(_ name: StaticString = #function) -> SignalSubscription {
        makeChild(name, passing: .asItIs)
    }

    /// The same, where `passing` says which pauses the child gets.
    @usableFromInline
    package final func makeChild(_ name: StaticString = #function, passing: PausePassing) -> SignalSubscription {
        let child = ChildSubscription(of: self)
        if LiveGraph.isOn { LiveGraph.track(child, name, under: self) }
        if !link(child, passing) { child.dispose() }
        return child
    }

    /// Makes `other` wait while this one waits, for as long as this one lasts, as `passing` says.
    @usableFromInline
    package final func link(_ other: SignalSubscription, passing: PausePassing) {
        link(waiting: other, passing)
    }

    /// Ends it, and says whether it was this call that did.
    @usableFromInline
    package final func end() -> Bool {
        // Counted before it is marked as over: whoever sees the mark sees the count.
        let activity = activity
        activity?.teardowns.enter()
        defer { activity?.teardowns.leave() }
        guard let holds = close() else { return false }
        // The children, and theirs, are ended from one list rather than by recursion, so that depth costs no stack.
        var pending: [SignalSubscription] = []
        tearDown(holds, &pending)
        var next = 0
        while next < pending.count {
            let child = pending[next]
            next += 1
            if let holds = child.close() { child.tearDown(holds, &pending) }
        }
        return true
    }

    /// Marks it as over; for the one call that does, how many holds there were. What is held later is not passed on, what was
    /// is taken back.
    private final func close() -> Int? {
        let old = state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
        return old & 1 == 0 ? Int(old >> 1) : nil
    }

    private final func tearDown(_ holds: Int, _ pending: inout [SignalSubscription]) {
        // Run and released outside the lock (law 3).
        let last = ledger.withLock { $0.takeAll() }
        leaveParent()
        last.reportEnd()
        let pauses = last.pauseState(of: holds)
        for case let link? in last.links {
            if link.endsTogether {
                pending.append(link.subscription)
            } else {
                let change = PauseChange(from: pauses, to: .open, link.passing)
                if !change.isNothing { link.subscription.passOn(change) }
            }
        }
    }

    /// It has ended; for a ``ChildSubscription``.
    func leaveParent() {}

    /// What the root of its tree counts; nil where the root is no ``TrackedSubscription``.
    var activity: SubscriptionActivity? { nil }

    /// Called around the sending of its signal's end; for a ``TrackedSubscription``.
    @usableFromInline
    func terminationBegins() {}

    @usableFromInline
    func terminationEnds() {}
}
