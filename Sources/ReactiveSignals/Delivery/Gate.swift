public import ReactiveCore
public import ReactiveSupport

/// Puts what several threads, or nested calls, send to one sink into one order, and keeps it back while paused.
///
/// Whoever finds the gate free delivers, at once and directly; whoever does not leaves its event in the queue, and the one
/// who is delivering takes it from there (laws 2 and 4): no recursion, no waiting, no lock while a sink is called. While
/// the subscription is paused the queue is the backlog (law 11), and only then is it kept to the policy's limit. Any thread may send; the variables below belong to the
/// holder of the claim, which is why a gate may travel as `Confined`.
@usableFromInline
final class Gate<Value: Sendable, Failure: Error> {
    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let backlog = Lock(Backlog<Value, Failure>())
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let policy: BufferPolicy

    @exclusivity(unchecked)
    @usableFromInline
    var link: SinkLink<Value, Failure>
    /// Whether values were left in the backlog for a pause; until they are out nothing may overtake them.
    @exclusivity(unchecked)
    @usableFromInline
    var isHolding = false
    /// The gate itself while it holds values: the source may have finished, and let go of it.
    @exclusivity(unchecked)
    @usableFromInline
    var anchor: Gate?

    @inlinable
    init(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription, _ policy: BufferPolicy = .unbounded) {
        link = SinkLink(sink)
        self.subscription = subscription
        self.policy = policy
        // Weak: the source keeps the gate, and the gate the subscription.
        let gate = Confined(WeakHandle(self))
        subscription.onChange { change in if change != .paused { gate.value.object?.wake() } }
    }

    deinit { _ = link.take() }

    @inlinable
    func send(_ value: Value) {
        guard claim.take() else {
            keep(value)
            return wake()
        }
        if subscription.isOpen, !isHolding {
            link.receive(value)
        } else {
            keep(value)
            return drain()
        }
        var seen = 1
        if !claim.release(&seen) { drain(seen) }
    }

    @inlinable
    func send(termination: Termination<Failure>) {
        backlog.withLock { $0.append(termination: termination) }
        wake()
    }

    /// Looks after the backlog, or leaves it to whoever is delivering.
    @inlinable
    func wake() {
        if claim.announce() { drain() }
    }

    @inlinable
    @inline(never)
    func keep(_ value: Value) {
        backlog.withLock { $0.append(value) }
    }

    /// Delivers what may be delivered, and gives the claim back; the caller holds it.
    @inlinable
    @inline(never)
    func drain(_ announced: Int = 1) {
        var seen = announced
        repeat {
            while !subscription.isDisposed {
                let isPaused = subscription.isPaused
                // What is dropped is part of the result, so that it is released outside the lock.
                let (event, _) = backlog.withLock { backlog -> (Event<Value, Failure>?, [Event<Value, Failure>]) in
                    let dropped = isPaused ? backlog.trim(policy) : []
                    return (backlog.next(isPaused: isPaused), dropped)
                }
                guard let event = event ?? overtaking() else { break }
                switch event {
                case .value(let value): link.receive(value)
                case .ended(let termination): link.take()?.receive(termination: termination)
                }
            }
            settle()
        } while !claim.release(&seen)
    }

    /// The failure that waits behind values, where operators alone are pausing (law 9).
    @inlinable
    @inline(never)
    func overtaking() -> Event<Value, Failure>? {
        guard backlog.withLock({ $0.holdsFailure }), subscription.letsFailuresPass else { return nil }
        return backlog.withLock { $0.takeFailure() }.failure
    }

    @inlinable
    @inline(never)
    func settle() {
        if subscription.isDisposed {
            _ = link.take()
            _ = backlog.withLock { $0.takeAll() }
        }
        isHolding = !backlog.withLock { $0.isEmpty }
        if isHolding != (anchor != nil) { anchor = isHolding ? self : nil }
    }
}
