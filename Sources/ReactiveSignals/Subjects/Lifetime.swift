public import ReactiveCore
import ReactiveSupport

/// How long something lasts: it ends when it is let go of, or before that by ``end()``.
///
/// It is made to be a property of the object whose life it is: what is added to it is disposed with the object, and signals
/// are taken during it. Any thread may use it.
public final class Lifetime: Sendable {
    private let composite = CompositeDisposable()
    private let subject = Subject<Never, Never>()

    /// Begins one.
    public init() {}

    deinit { end() }

    /// Whether it is over.
    public var hasEnded: Bool { composite.isDisposed }

    /// Completes when the lifetime ends, at once where it has; it does not keep it.
    public var ended: Signal<Never, Never> { subject.signal }

    /// Ends it: disposes what was added, in the order in which it was added; the second call does nothing.
    public func end() {
        composite.dispose()
        subject.complete()
    }

    /// Disposes `disposable` with the lifetime; at once where that has ended.
    public func add(_ disposable: any Disposable) { composite.add(disposable) }

    /// Calls `action` when the lifetime ends; at once where that has ended.
    public func add(_ action: @escaping @Sendable () -> Void) { composite.add(action) }
}

extension Signal {
    /// Sends what comes during `lifetime`, and completes with it; the lifetime is not kept.
    public func take(during lifetime: Lifetime) -> Signal { take(until: lifetime.ended) }
}
