// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// `flatMap` that subscribes to a limited number of signals at a time. A signal occupies its slot until all of its
/// teardowns have returned, on any thread.
///
/// The holder of the ``DrainClaim`` starts signals in a loop, so signals that terminate immediately cause no recursion
/// (law 8).
///
/// Only the code that receives the source's values pauses the source, and then checks again whether the pause is still
/// needed. Only the holder of the claim resumes the source. So both agree on whether the source is paused.
@usableFromInline
final class LimitedFlatMap<Value: Sendable, New: Sendable, Failure: Error> {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var running = 0
        @usableFromInline
        var waiting = FIFO<Value>()
        @usableFromInline
        var hasPausedSource = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let merge: Merge<New, Failure>
    @usableFromInline
    let outer: SignalSubscription
    @usableFromInline
    let limit: Int
    @usableFromInline
    let transform: @Sendable (Value) -> Signal<New, Failure>
    @usableFromInline
    let state = Lock(State())
    @usableFromInline
    let claim = DrainClaim()

    @inlinable
    init(
        _ merge: Merge<New, Failure>,
        _ outer: SignalSubscription,
        _ limit: Int,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) {
        self.merge = merge
        self.outer = outer
        self.limit = limit
        self.transform = transform
    }

    @inlinable
    func receive(_ value: Value) {
        guard !outer.isDisposed else { return }
        // A waiting value counts as an open input, so completion waits for it.
        merge.expectOneMore()
        state.withLock { $0.waiting.append(value) }
        proceed()
        // Check after `proceed()`: the inner signal may already have terminated. An unnecessary pause by an operator
        // would let a failure overtake values (law 9).
        guard state.withLock({ !$0.hasPausedSource && isFull($0) }) else { return }
        outer.addPause(.byOperator)
        // Another thread may have terminated a signal since the check, so the pause is no longer needed.
        let isObsolete = state.withLock { state in
            state.hasPausedSource = isFull(state)
            return !state.hasPausedSource
        }
        if isObsolete { outer.removePause(.byOperator) }
    }

    /// Whether to pause the source. Call it with the lock held.
    @inlinable
    func isFull(_ state: State) -> Bool { state.running + state.waiting.count >= limit }

    @inlinable
    func innerEnded(_ input: SignalSubscription, _ termination: Termination<Failure>) {
        guard input.end() else { return }
        switch termination {
        case .completed:
            merge.inputEnded()
            if input.isTornDown { return freeSlot() }
            let limited = UnsafeTransfer(self)
            // Another thread is still running a teardown. The next signal may use the same resource.
            input.whenTornDown { input.restoring { limited.value.freeSlot() } }
        case .failed(let failure): fail(failure)
        }
    }

    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        guard outer.end() else { return }
        switch termination {
        case .completed: merge.inputEnded()
        case .failed(let failure): fail(failure)
        }
    }

    /// Fails immediately. Values that still wait are released first (laws 6 and 9).
    @inlinable
    func fail(_ failure: Failure) {
        merge.junction.inputs.dispose()
        proceed()
        merge.fail(failure)
    }

    @inlinable
    func freeSlot() {
        state.withLock { $0.running -= 1 }
        proceed()
    }

    /// Starts signals up to the limit. If another call is starting signals already, that call continues instead.
    @inlinable
    func proceed() {
        guard claim.announce() else { return }
        claim.drain {
            while let value = next() {
                let signal = transform(value)
                if let scalar = signal.scalar {
                    merge.take(scalar)
                    state.withLock { $0.running -= 1 }
                    merge.inputEnded()
                    continue
                }
                let input = merge.junction.inputs.makeChild()
                merge.join(signal, in: input) { self.innerEnded(input, $0) }
            }
            resumeOuter()
        }
    }

    @inlinable
    func next() -> Value? {
        if merge.junction.inputs.isDisposed {
            _ = state.withLock { $0.waiting.takeAll() }
            return nil
        }
        return state.withLock { state in
            guard state.running < limit, let value = state.waiting.popFirst() else { return nil }
            state.running += 1
            return value
        }
    }

    /// Resumes the source if a slot is free. A value that the source sends before this call returns is queued and
    /// announced.
    @inlinable
    func resumeOuter() {
        let isDue = state.withLock { state in
            guard state.hasPausedSource, !isFull(state) else { return false }
            state.hasPausedSource = false
            return true
        }
        if isDue { outer.removePause(.byOperator) }
    }
}
