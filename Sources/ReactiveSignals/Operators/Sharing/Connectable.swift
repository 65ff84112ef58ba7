// SPDX-License-Identifier: MIT
import ReactiveCore
import Synchronization

/// A signal that starts once, when ``connect()`` is called, and shares one subscription. Other libraries call it
/// `multicast` or `publish`.
///
/// Any thread may use it. A paused subscriber does not pause the source: its values are buffered. Use
/// ``Signal/share(whilePaused:)`` to start with the first subscriber and to stop with the last.
public final class Connectable<Value: Sendable, Failure: Error>: Sendable {
    private let source: Signal<Value, Failure>
    private let subject: Subject<Value, Failure>
    private let subscription = SignalSubscription()
    private let isConnected = Atomic<Bool>(false)

    init(_ source: Signal<Value, Failure>, _ subject: Subject<Value, Failure>) {
        self.source = source
        self.subject = subject
    }

    /// The source's events, once connected. A later subscriber receives only later values. After the termination, it
    /// receives the termination.
    public var signal: Signal<Value, Failure> { subject.signal }

    /// Subscribes to the source on the calling thread. Later calls return the same subscription and do nothing else.
    ///
    /// - Returns: The subscription to the source. Pausing it pauses the source. Disposing it stops the source for good:
    ///   the subscribers then receive nothing more, not even a termination. Releasing it does not dispose it.
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
    /// - Parameter policy: How to buffer values for a paused subscriber. Each subscriber has its own buffer.
    public func multicast(whilePaused policy: BufferPolicy = .unbounded) -> Connectable<Value, Failure> {
        Connectable(self, Subject(whilePaused: policy))
    }
}
