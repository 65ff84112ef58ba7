// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// The lifetime of an object. It ends when the `Lifetime` is released, or earlier when ``end()`` is called.
///
/// Store it in a property of the object. Then the disposables that are added to it are disposed when the object is
/// released. ``Signal/take(during:)`` limits a signal to it. Any thread may use it.
public final class Lifetime: Sendable {
    private let composite = CompositeDisposable()
    private let subject = Subject<Never, Never>()

    /// Creates a lifetime that has not ended.
    public init() {}

    deinit { end() }

    /// Whether the lifetime has ended.
    public var hasEnded: Bool { composite.isDisposed }

    /// A signal that completes when the lifetime ends, or immediately if it has ended. The signal does not retain the
    /// lifetime.
    public var ended: Signal<Never, Never> { subject.signal }

    /// Ends the lifetime: disposes the added disposables in their order, on the calling thread, then completes
    /// ``ended``. Later calls do nothing.
    public func end() {
        composite.dispose()
        subject.complete()
    }

    /// Disposes `disposable` when the lifetime ends, or immediately if it has ended.
    public func add(_ disposable: any Disposable) { composite.add(disposable) }

    /// Calls `action` when the lifetime ends, or immediately if it has ended.
    public func add(_ action: @escaping @Sendable () -> Void) { composite.add(action) }
}

extension Signal {
    /// Sends the signal's events until `lifetime` ends, then completes. The result does not retain the lifetime. See
    /// ``take(until:)``.
    public func take(during lifetime: Lifetime) -> Signal { take(until: lifetime.ended) }
}
