public import ReactiveCore
import ReactiveSupport

/// Disposables that are disposed together, in the order in which they were added.
///
/// Any thread may add and dispose. What is added to one that is disposed is disposed at once (law 5). Those that end by
/// themselves are let go of from time to time, so one that lives long and is added to often does not grow.
public final class CompositeDisposable: Disposable {
    private struct State {
        var isDisposed = false
        var members: [any Disposable] = []
        var nextSweep = 16
    }

    private let state = Lock(State())

    /// Makes one that holds `members`.
    public init(_ members: [any Disposable] = []) {
        for member in members { add(member) }
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Adds `member`; disposes it at once if this one is disposed.
    public func add(_ member: any Disposable) {
        // Asking a member whether it is over is calling code of others, so the list is swept outside the lock.
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

    /// Adds a closure; calls it at once if this one is disposed.
    public func add(_ action: @escaping @Sendable () -> Void) { add(AnyDisposable(action)) }

    /// Disposes all of them, with no lock held; the second call does nothing.
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
            // `ended` holds them, so none is released here.
            state.members.removeAll { gone.contains(ObjectIdentifier($0)) }
            state.nextSweep = max(16, state.members.count * 2)
        }
    }
}
