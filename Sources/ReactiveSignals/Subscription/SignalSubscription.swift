// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport
public import Synchronization

/// A subscription to a signal. It can be paused and disposed, and it runs teardown closures when it ends.
///
/// Any thread may call any member, even from inside a delivery, a teardown or a flow change. A subscription ends once,
/// by ``dispose()`` or with the signal's termination. After that, a teardown that is added runs immediately, and pauses
/// have no effect ([law 5](doc:LawsOfSignals)). Use a subscription for one `subscribe` call only: if two signals share
/// it, the first that terminates ends it for both.
public class SignalSubscription: Subscription {
    // The state. Changed with the ledger's lock held, except bit 0 of `state`, `isDone` and `isShared`. Pauses.swift has the
    // kinds of pauses, SubscriptionListener.swift has `FlowState`, and SignalSubscription+Flow.swift has the code of pauses.
    //
    // | Field | Meaning | Written by |
    // |---|---|---|
    // | `state`, bit 0 | Whether the subscription has ended; pauses have no effect then | `close` |
    // | `state`, other bits | The number of pauses of all kinds, its own and those passed on to it | `count` |
    // | `pauses` in the ledger | The numbers of pauses by kind; see `PauseCounts` | `count` |
    // | `links` in the ledger | The inputs to which a change is passed on | `addLink`, `unlink`, `takeLinks` |
    // | `isPassing` in the ledger | Whether a thread is passing a change on to the inputs | `beginPassing`, `endPassing` |
    // | `flow`, the notes | What the first listener that receives pauses was notified of | `add`, `count`, `reportFlow` |
    // | `notes` in the ledger | The same for each later listener that receives pauses | `add`, `count`, `reportFlow` |
    // | `flow`, `isReporting` | Whether a thread is calling listeners | `reportFlow` |
    // | `flow`, `hasListener` | Whether any listener receives pauses | `add` |
    // | `teardown`, `isDone` | Whether all teardowns have returned, those of the descendants included | `didTearDown` |
    // | `teardown`, `isShared` | Whether other subscriptions receive its values | `init` |
    // | `teardown`, `hasWaiting` | Whether the ledger contains closures that wait for that | `whenTornDown` |
    //
    // `tearDown` empties the ledger, except for these closures.

    /// Bit 0: disposed. The other bits: the number of pauses, its own and those passed on to it.
    @usableFromInline
    final let state = Atomic<UInt32>(0)
    /// The bits of a ``FlowState``. Written under the ledger's lock.
    final let flow = Atomic<UInt8>(0)
    /// The bits of ``Teardown``.
    private final let teardown = Atomic<UInt8>(0)

    private enum Teardown {
        /// The teardowns of the subscription and of its descendants have returned.
        static let isDone: UInt8 = 0b01
        /// The ledger contains closures that wait for this.
        static let hasWaiting: UInt8 = 0b10
        /// See ``isShared``.
        static let isShared: UInt8 = 0b100
    }

    final let ledger = Lock(SubscriptionLedger())

    /// Creates a subscription that is neither disposed nor paused.
    public init() {}

    /// Creates the subscription of an operator such as `share` to its source.
    @usableFromInline
    package convenience init(isShared: Bool) {
        self.init()
        if isShared { teardown.store(Teardown.isShared, ordering: .relaxed) }
    }

    /// Whether other subscriptions receive its values, so that its ``origin`` does not say where they go.
    package final var isShared: Bool { teardown.load(ordering: .relaxed) & Teardown.isShared != 0 }

    /// Releases inputs one after the other, so that depth costs no stack. A disposed subscription has none left.
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

    /// Whether values may be delivered now: the subscription is neither paused nor disposed. Every value checks this,
    /// so it is one atomic load.
    @inlinable
    package final var acceptsValues: Bool { state.load(ordering: .acquiring) == 0 }

    /// Whether the subscription is disposed or its signal has terminated.
    @inlinable
    public final var isDisposed: Bool { state.load(ordering: .acquiring) & 1 != 0 }

    /// Whether at least one pause is in force, its own or one passed on to it.
    @inlinable
    public final var isPaused: Bool { state.load(ordering: .acquiring) >= 2 }

    /// Whether the notification of a pause has begun, and that of its end has not. A source may stop while this is true.
    ///
    /// Notifications come in order, on any thread. Jobs that a listener submits to a loop may run in another order. So
    /// such a job must not carry the state, and reads this property instead. A source that stops because of ``isPaused``,
    /// which may become true before the notification, is notified of the end of that pause all the same.
    ///
    /// This is the state of the first listener that receives pauses. When the pause ends, every listener that was added
    /// before this read is notified. So a source adds its listener first, and then reads this property.
    package final var isPauseReported: Bool {
        FlowState(rawValue: flow.load(ordering: .acquiring)).contains(.pauseReported)
    }

    /// Ends the subscription: runs the teardowns in the order in which they were added, with no lock held, then ends
    /// the children.
    ///
    /// The teardowns run on the calling thread. Later calls do nothing, and do not wait for the first. If the source is
    /// delivering on another thread, that delivery may still finish ([law 1](doc:LawsOfSignals)).
    public final func dispose() { _ = end() }

    /// Runs `teardown` once, with no lock held, on the thread that ends the subscription. If the subscription has
    /// ended, `teardown` runs before this call returns.
    public final func onDispose(_ teardown: @escaping @Sendable () -> Void) {
        if !add(.end(teardown)) { restoring(teardown) }
    }

    /// Pauses the source until the result is disposed. Each call is a separate pause ([law 11](doc:LawsOfSignals)).
    ///
    /// From now on each operator on the way keeps its values, within the limits of its buffer. The source stops when it
    /// is notified. If it is delivering on another thread, that delivery may still finish. When the last pause ends,
    /// values that a subject or an operator has buffered are delivered on the thread that ended it. A source that
    /// belongs to a scheduler continues on that scheduler. On an ended subscription a pause has no effect.
    ///
    /// - Returns: The token of the pause. Releasing it without disposing it leaves the source paused.
    public final func pause() -> any Disposable {
        addPause()
        return SubscriptionPause(self)
    }

    /// Calls `change` when the first pause begins and when the last one ends. A pause that is in force now is reported
    /// too.
    ///
    /// `change` is called on a thread that pauses or resumes, with no lock held. Calls do not overlap, and `true` and
    /// `false` alternate. A change during a call is reported when the call has returned. After the subscription has
    /// ended, nothing more is reported, but another thread may still finish a report that it has begun.
    public final func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void) {
        if add(.flow(change)), isPaused { reportFlow() }
    }

    /// Calls `change` for every event that ``onDispose(_:)`` and ``onFlowChange(_:)`` report, and when only operators pause
    /// the subscription. It is one closure for all, because the ledger stores one listener without an allocation.
    ///
    /// The end may be reported while another thread reports a pause, or before that pause.
    @usableFromInline
    package final func onChange(_ change: @escaping @Sendable (SubscriptionChange) -> Void) {
        if !add(.changes(change)) { restoring { change(.over) } } else if isPaused { reportFlow() }
    }

    /// Adds a listener. Returns false if the subscription has ended.
    private final func add(_ listener: SubscriptionListener) -> Bool {
        ledger.withLock { ledger in
            // Read once: a disposal after this notifies the added listener.
            if isDisposed { return false }
            withFlow { flow in ledger.add(listener, isPaused: isPaused, &flow) }
            return true
        }
    }

    /// Creates a subscription that is disposed and paused with this one, and that may end earlier.
    ///
    /// Use it in an operator with several inputs, or in one that outlives its input. Each input has a child, which the
    /// operator disposes when the input has terminated ([law 6](doc:LawsOfSignals)). The parent retains nothing of an
    /// ended child. If this subscription has ended, the child is already disposed.
    ///
    /// - Parameter name: The name in the ``LiveGraph``. The default is the calling function, which is the operator.
    public final func makeChild(_ name: StaticString = #function) -> SignalSubscription {
        makeChild(name, passing: .asItIs)
    }

    /// Creates a child. `passing` says which pauses are passed to it. With `resumesLast`, it is resumed after the other
    /// children, when these have delivered the values that waited in them. Use it for a source whose values other
    /// children deliver. `context` replaces the values that this subscription propagates.
    @usableFromInline
    package final func makeChild(
        _ name: StaticString = #function,
        passing: PausePassing,
        resumesLast: Bool = false,
        in context: PropagatedContext? = nil
    ) -> SignalSubscription {
        let child = ChildSubscription(of: self, in: context ?? propagated)
        if LiveGraph.isOn { LiveGraph.track(child, name, under: self) }
        if !adopt(child, passing, resumesLast: resumesLast) { child.dispose() }
        return child
    }

    /// Ends the subscription. Returns whether this call did.
    @usableFromInline
    package final func end() -> Bool {
        guard let pauseCount = close() else { return false }
        // All descendants are ended from one list instead of by recursion, so depth costs no stack. The first `ended`
        // elements are those that this call has ended.
        var all: [SignalSubscription] = []
        // Descendants that another call is ending, on another thread or further down this one's stack.
        var busy: [SignalSubscription] = []
        tearDown(pauseCount, &all)
        var (next, ended) = (0, 0)
        while next < all.count {
            let child = all[next]
            next += 1
            if let pauseCount = child.close() {
                all[ended] = child
                ended += 1
                child.tearDown(pauseCount, &all)
            } else if !child.isTornDown {
                busy.append(child)
            }
        }
        all.removeLast(all.count - ended)
        if busy.isEmpty { didTearDown(all) } else { waitForTeardowns(of: busy, ended: all) }
        return true
    }

    private final func waitForTeardowns(of busy: [SignalSubscription], ended: [SignalSubscription]) {
        let teardowns = ActivityCount()
        for child in busy {
            teardowns.enter()
            child.whenTornDown { teardowns.leave() }
        }
        teardowns.whenIdle { [self] in didTearDown(ended) }
    }

    /// Records that the teardowns of this subscription and of its descendants have returned. `ended` contains the
    /// descendants that the same call has ended.
    private final func didTearDown(_ ended: [SignalSubscription]) {
        for child in ended { child.didTearDown() }
        unlink()
        didTearDown()
    }

    private final func didTearDown() {
        let old = teardown.bitwiseOr(Teardown.isDone, ordering: .acquiringAndReleasing).oldValue
        guard old & Teardown.hasWaiting != 0 else { return }
        for body in ledger.withLock({ $0.takeWaiting() }) { body() }
    }

    /// Whether the subscription has ended, and its teardowns and those of its descendants have returned.
    @usableFromInline
    package final var isTornDown: Bool { teardown.load(ordering: .acquiring) & Teardown.isDone != 0 }

    /// Calls `body` when the subscription has ended, and its teardowns and those of its descendants have returned:
    /// before this call returns, or on the thread whose teardown returns last.
    ///
    /// `dispose()` does not wait: if another thread is already ending a descendant, the call returns while that
    /// descendant's teardowns run. An owner that starts the same work again must wait for them.
    @usableFromInline
    package final func whenTornDown(_ body: @escaping @Sendable () -> Void) {
        let isDone =
            isTornDown
            || ledger.withLock { ledger in
                let old = teardown.bitwiseOr(Teardown.hasWaiting, ordering: .acquiringAndReleasing).oldValue
                if old & Teardown.isDone == 0 { ledger.addWaiting(body) }
                return old & Teardown.isDone != 0
            }
        if isDone { body() }
    }

    /// Marks the subscription as disposed. Returns the number of pauses to the one call that marks it, and `nil` to
    /// every other call. From then on, no change begins to be passed on. `tearDown` withdraws the pauses that were.
    private final func close() -> Int? {
        let old = state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
        return old & 1 == 0 ? Int(old >> 1) : nil
    }

    private final func tearDown(_ pauseCount: Int, _ pending: inout [SignalSubscription]) {
        // Run and released outside the lock (law 3). A pause that another thread is passing on has then reached the inputs
        // from which this call withdraws it.
        let last = withSettledLedger { $0.takeAll() }
        restoring { last.reportEnd() }
        let pauses = last.pauseState(of: pauseCount)
        for case let link? in last.slots {
            if link.isChild {
                pending.append(link.subscription)
            } else {
                let change = link.change(from: pauses, to: .open)
                if !change.isNothing { link.subscription.apply(change) }
            }
        }
    }

    /// Called when the subscription has ended and is torn down. A ``ChildSubscription`` removes itself from its parent.
    func unlink() {}

    /// The values that its tree propagates, or `nil`.
    var propagated: PropagatedContext? { nil }

    /// The root of its tree. If an operator has created this subscription, the root is the subscriber's subscription.
    package var origin: SignalSubscription { self }

    /// Whether this subscription is disposed, or the subscriber's is, which ends this one next.
    package final var isEnding: Bool { isDisposed || origin.isDisposed }

    /// Called before and after a source sends the termination. A ``TrackedSubscription`` counts the calls.
    @usableFromInline
    func terminationBegins() {}

    @usableFromInline
    func terminationEnds() {}
}
