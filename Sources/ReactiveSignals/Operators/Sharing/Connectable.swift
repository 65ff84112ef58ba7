import ReactiveCore
import Synchronization

/// A signal that starts once, when ``connect()`` is called, and shares one subscription. Other libraries call it
/// `multicast` or `publish`.
///
/// Use ``Signal/share(whilePaused:)`` to start with the first subscriber and to stop with the last.
public final class Connectable<Value: Sendable, Failure: Error>: Sendable {
    private let source: Signal<Value, Failure>
    private let subject: Subject<Value, Failure>
    private let subscription = SignalSubscription()
    private let isConnected = Atomic<Bool>(false)

    init(_ source: Signal<Value, Failure>, _ subject: Subject<Value, Failure>) {
        self.source = source
        self.subject = subject
    }

    /// The source's events, once connected. A subscriber that comes after the termination receives the termination.
    public var signal: Signal<Value, Failure> { subject.signal }

    /// Subscribes to the source. Later calls return the same subscription and do nothing else. Any thread may call it.
    ///
    /// Disposing the result stops the source for good. The subscribers then receive nothing more, not even a
    /// termination. Releasing the result does not dispose it.
    @discardableResult
    public func connect() -> SignalSubscription {
        if !isConnected.exchange(true, ordering: .acquiringAndReleasing) {
            source.subscribe(subject, in: subscription)
        }
        return subscription
    }
}

extension Signal {
    /// Returns a connectable signal, which does not start before ``Connectable/connect()`` is called.
    ///
    /// - Parameter policy: How to buffer values for a paused subscriber.
    public func multicast(whilePaused policy: BufferPolicy = .unbounded) -> Connectable<Value, Failure> {
        Connectable(self, Subject(whilePaused: policy))
    }
}
