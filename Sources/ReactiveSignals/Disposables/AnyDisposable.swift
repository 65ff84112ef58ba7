// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A disposable that calls a closure once, in the first `dispose()`, and then releases it ([law 5](doc:LawsOfSignals)).
public final class AnyDisposable: Disposable {
    private let action: OnceCell<@Sendable () -> Void>

    /// Creates a disposable that calls `action` on the disposing thread, with no lock held.
    public init(_ action: @escaping @Sendable () -> Void) {
        self.action = OnceCell(action)
    }

    /// Whether the closure has been called, or is being called.
    public var isDisposed: Bool { action.isTaken }

    /// Calls the closure on the calling thread. Later calls do nothing, and do not wait for the first.
    public func dispose() { action.take()?() }
}
