public import ReactiveCore
import ReactiveSupport
public import Synchronization

/// The subscription that signals work with: whether it is over, how many holds are out, and what is to be given back.
///
/// Every member may be called from any thread, also from inside a delivery, a teardown or a flow change. It ends once, by
/// ``dispose()`` or with the signal; after that adding a teardown runs it at once, and holds change nothing (law 5). One
/// subscription is for one `subscribe` call: given to two, it ends both with the first.
public final class SignalSubscription: Subscription {
    /// Bit 0: disposed. From bit 1 on: how many holds are out, its own and those of what it depends on.
    @usableFromInline
    let state = Atomic<Int>(0)

    let ledger = Lock(SubscriptionLedger())

    /// Of a child. Weak, or a subscription that is neither disposed nor ended could never be freed.
    private weak let parent: SignalSubscription?

    /// Makes a subscription nobody has ended or paused.
    public init() { parent = nil }

    private init(childOf parent: SignalSubscription) { self.parent = parent }

    /// Takes apart what nobody has ended, one after the other, so that depth costs no stack.
    deinit {
        if isDisposed { return }
        var pending = takeLinks()
        while var next = pending.popLast() {
            if isKnownUniquelyReferenced(&next) { pending += next.takeLinks() }
        }
    }

    private func takeLinks() -> [SignalSubscription] {
        ledger.withLock { ledger in ledger.takeLinks() }
    }

    /// Whether values may be delivered now: one load, for the path of every value.
    @inlinable
    package var isOpen: Bool { state.load(ordering: .acquiring) == 0 }

    /// Whether it is over: disposed, or ended with the signal.
    @inlinable
    public var isDisposed: Bool { state.load(ordering: .acquiring) & 1 != 0 }

    /// Whether at least one hold is out, its own or of what it depends on.
    @inlinable
    public var isPaused: Bool { state.load(ordering: .acquiring) >= 2 }

    /// Ends it: runs the teardowns in the order in which they were added, with no lock held, then ends the children.
    ///
    /// The second and every later call does nothing, and does not wait for the first.
    public func dispose() { _ = end() }

    /// Runs `teardown` once, when it ends, on the thread that ends it; at once if it has ended.
    public func onDispose(_ teardown: @escaping @Sendable () -> Void) {
        let isOver = ledger.withLock { ledger in
            if !ledger.isOver { ledger.add(teardown) }
            return ledger.isOver
        }
        if isOver { teardown() }
    }

    /// Asks the source to wait until the result is disposed; each call is a hold of its own (law 11).
    public func pause() -> any Disposable {
        hold()
        return SubscriptionHold(self)
    }

    /// Calls `change` when the first hold is taken and when the last is given back; at once if there is one now.
    ///
    /// Calls do not overlap, and `true` and `false` alternate. What changes during a call is told after it.
    public func onFlowChange(_ change: @escaping @Sendable (_ isPaused: Bool) -> Void) {
        let isKept = ledger.withLock { ledger in
            if !ledger.isOver { ledger.add(FlowListener(change, isPaused: isPaused)) }
            return !ledger.isOver
        }
        if isKept, isPaused { tellFlow() }
    }

    /// Makes a subscription that ends with this one and waits while this one waits, and may end earlier by itself.
    ///
    /// It is for an operator with several inputs, or one that outlives its input: each input gets a child, which the
    /// operator disposes as soon as the input has ended (law 6). An ended child leaves nothing behind here. The child of
    /// an ended subscription has ended. `name` is for the ``LiveGraph``: by default the function in which it is made, which
    /// is the operator.
    public func makeChild(_ name: StaticString = #function) -> SignalSubscription {
        let child = SignalSubscription(childOf: self)
        if LiveGraph.isOn { LiveGraph.track(child, name, under: self) }
        if !link(child, endsTogether: true) { child.dispose() }
        return child
    }

    /// Makes `other` wait while this one waits, for as long as this one lasts.
    @usableFromInline
    package func hold(_ other: SignalSubscription) {
        _ = link(other, endsTogether: false)
    }

    /// Ends it, and says whether it was this call that did.
    @usableFromInline
    package func end() -> Bool {
        guard state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 1 == 0 else { return false }
        // The children, and theirs, are ended from one list rather than by recursion, so that depth costs no stack.
        var pending: [SignalSubscription] = []
        tearDown(&pending)
        var next = 0
        while next < pending.count {
            let child = pending[next]
            next += 1
            if child.state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 1 == 0 {
                child.tearDown(&pending)
            }
        }
        return true
    }

    private func tearDown(_ pending: inout [SignalSubscription]) {
        // Both in one: a hold that is counted later is no longer passed on.
        let (last, wasPaused) = ledger.withLock { ($0.close(), isPaused) }
        if let parent, !parent.isDisposed { parent.unlink(Int(last.slot), self) }
        last.firstTeardown?()
        for teardown in last.laterTeardowns { teardown() }
        for case let link? in last.links {
            if link.endsTogether {
                pending.append(link.subscription)
            } else if wasPaused {
                link.subscription.passOn(-1)
            }
        }
    }

    private func unlink(_ slot: Int, _ child: SignalSubscription) {
        ledger.withLock { ledger in ledger.removeLink(slot, of: child) }
    }
}
