import ReactiveCore
import Synchronization

/// A signal that is started by hand, once, for all who observe it; `multicast` and `publish` elsewhere.
///
/// Who wants it started by the first observer, and stopped with the last one, uses ``Signal/share(whilePaused:)``.
public final class Connectable<Value: Sendable, Failure: Error>: Sendable {
    private let source: Signal<Value, Failure>
    private let subject: Subject<Value, Failure>
    private let subscription = SignalSubscription()
    private let isConnected = Atomic<Bool>(false)

    init(_ source: Signal<Value, Failure>, _ subject: Subject<Value, Failure>) {
        self.source = source
        self.subject = subject
    }

    /// What the source sends once it is connected; its end for those who come after it.
    public var signal: Signal<Value, Failure> { subject.signal }

    /// Subscribes to the source, the first time; any later call changes nothing. Letting go of the result ends nothing.
    ///
    /// Disposing the result stops the source for all; it is not started again, and the observers hear no more.
    @discardableResult
    public func connect() -> SignalSubscription {
        if !isConnected.exchange(true, ordering: .acquiringAndReleasing) {
            source.subscribe(subject, in: subscription)
        }
        return subscription
    }
}

extension Signal {
    /// Makes a signal for many observers that does not start before ``Connectable/connect()`` is called.
    ///
    /// `policy` is for the values that a paused observer cannot take yet.
    public func multicast(whilePaused policy: BufferPolicy = .unbounded) -> Connectable<Value, Failure> {
        Connectable(self, Subject(whilePaused: policy))
    }
}
