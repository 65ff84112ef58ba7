// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// Disposables that are disposed together, in the order in which they were added.
///
/// Any thread may add and dispose, even from inside a member's disposal. A member that is added after disposal is
/// disposed immediately. Releasing the composite disposes no member ([law 5](doc:LawsOfSignals)). Disposed members are
/// released from time to time, so a long-lived composite does not grow.
public final class CompositeDisposable: Disposable {
    private struct State {
        var isDisposed = false
        var members: [any Disposable] = []
        var nextSweep = 16
    }

    private let state = Lock(State())

    /// Creates a composite of `members`, in their order.
    public init(_ members: [any Disposable] = []) {
        for member in members { add(member) }
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Adds `member`, or disposes it immediately if the composite is disposed.
    public func add(_ member: any Disposable) {
        // A member's `isDisposed` is foreign code, so members are checked outside the lock.
        let (isLate, sweep) = state.withLock { state -> (Bool, [any Disposable]) in
            if state.isDisposed { return (true, []) }
            state.members.append(member)
            guard state.members.count >= state.nextSweep else { return (false, []) }
            state.nextSweep = .max
            return (false, state.members)
        }
        if isLate { return member.dispose() }
        if !sweep.isEmpty { forget(sweep.filter(\.isDisposed)) }
    }

    /// Adds a closure, or calls it immediately if the composite is disposed.
    public func add(_ action: @escaping @Sendable () -> Void) { add(AnyDisposable(action)) }

    /// Disposes all members on the calling thread, with no lock held. Later calls do nothing, and do not wait for the
    /// first.
    public func dispose() {
        let members = state.withLock { state in
            state.isDisposed = true
            let members = state.members
            state.members = []
            return members
        }
        for member in members { member.dispose() }
    }

    private func forget(_ ended: [any Disposable]) {
        let gone = Set(ended.map { ObjectIdentifier($0) })
        state.withLock { state in
            // `ended` retains them, so none is released here.
            state.members.removeAll { gone.contains(ObjectIdentifier($0)) }
            state.nextSweep = max(16, state.members.count * 2)
        }
    }
}
