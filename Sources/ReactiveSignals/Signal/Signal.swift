// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A stream of values over time that may complete or fail. The signal itself only describes how to subscribe.
///
/// A cold signal does nothing until it is subscribed to, and runs its closure for each subscription. A hot one
/// (``Subject``, ``Property``, ``share(whilePaused:)``) sends to its current observers. Any thread may subscribe.
///
/// Values arrive one at a time, on the thread that sends or is already delivering. They arrive until the signal
/// terminates or the subscription is disposed, and not during a pause. <doc:LawsOfSignals> states these promises in
/// full.
///
/// Unless its comment says otherwise, an operator calls its closures on the thread on which its source sends, with no
/// lock held. Several subscriptions may call them at the same time. The operator forwards the source's termination to
/// the subscriber, and a pause to the source.
public struct Signal<Value: Sendable, Failure: Error>: SignalSource, Sendable {
    @usableFromInline
    let start: @Sendable (Sink<Value, Failure>, SignalSubscription) -> Void
    /// The signal's origin, if a subscriber can save work by knowing it: a ``Scalar``, or an object of another module.
    @usableFromInline
    package let origin: (any AnyObject & Sendable)?

    @inlinable
    init(
        from origin: (any AnyObject & Sendable)? = nil,
        start: @escaping @Sendable (Sink<Value, Failure>, SignalSubscription) -> Void
    ) {
        self.start = start
        self.origin = origin
    }

    @inlinable
    init(_ scalar: Scalar<Value, Failure>) {
        self.init(from: scalar) { sink, subscription in scalar.start(sink, subscription) }
    }

    /// The signal's event, if it is known without subscribing.
    @inlinable
    var scalar: Scalar<Value, Failure>? { origin as? Scalar<Value, Failure> }

    /// Creates a signal, for the package's other modules. It is a function, because the compiler would choose the wrong
    /// one of two initialisers with a closure.
    @inlinable
    package static func starting(
        from origin: (any AnyObject & Sendable)? = nil,
        _ start: @escaping @Sendable (Sink<Value, Failure>, SignalSubscription) -> Void
    ) -> Signal {
        Signal(from: origin, start: start)
    }

    /// Creates a signal that calls `body` for each subscription, on the subscribing thread.
    ///
    /// Any thread may use the emitter, and `body` may store it. The subscription notifies the source when to stop and
    /// when to pause: see ``SignalSubscription/onDispose(_:)`` and ``SignalSubscription/onFlowChange(_:)``. It is
    /// disposed when the emitter sends the termination. To forward another source's events, pass the emitter and the
    /// subscription to that source's ``subscribe(_:in:)``.
    ///
    /// - Parameters:
    ///   - policy: How the emitter buffers values while the subscription is paused ([law 11](doc:LawsOfSignals)).
    ///   - body: Starts the source. It is not called if the subscription is disposed already.
    @inlinable
    public init(
        whilePaused policy: BufferPolicy = .unbounded,
        _ body: @escaping @Sendable (_ emitter: Emitter<Value, Failure>, _ subscription: SignalSubscription) -> Void
    ) {
        // `inOrder`, because `body` may replace a failure.
        self.init(whilePaused: policy, passing: .inOrder, body)
    }

    @inlinable
    init(
        whilePaused policy: BufferPolicy = .unbounded,
        passing: PausePassing,
        _ body: @escaping @Sendable (_ emitter: Emitter<Value, Failure>, _ subscription: SignalSubscription) -> Void
    ) {
        self.init(start: { sink, subscription in
            // An operator's input may be disposed before it starts.
            guard !subscription.isDisposed else { return }
            // `body` receives a child subscription, which it may pass on with the emitter. The child is disposed when
            // the source terminates, even if the termination waits behind values (law 6).
            let input = subscription.makeChild(passing: passing)
            body(Emitter(Junction(subscription.restoring(sink), subscription, inputs: input, policy)), input)
        })
    }

    /// Creates a signal that forwards any signal source, so that operators can be used on it. If the source is a
    /// `Signal`, the result is that signal. A failure overtakes the same values as one of that source's own signal
    /// ([law 9](doc:LawsOfSignals)).
    @inlinable
    public init(_ source: some SignalSource<Value, Failure>) {
        if let signal = source as? Signal<Value, Failure> {
            self = signal
        } else {
            self.init(passing: .asItIs) { emitter, subscription in source.subscribe(emitter, in: subscription) }
        }
    }

    /// Sends events to `observer` until the signal terminates or `subscription` is disposed.
    ///
    /// When the signal terminates, the subscription is disposed before the observer is notified
    /// ([law 6](doc:LawsOfSignals)). Values may arrive before this call returns. If the subscription is paused already,
    /// they wait. Does nothing if the subscription is disposed already.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        let subscription = SignalSubscription.following(subscription)
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn {
            return start(LiveGraph.found(subscription, counting: ObserverSink(subscription, observer)), subscription)
        }
        start(ObserverSink(subscription, observer), subscription)
    }

    /// Sends events to `observer`, in a new subscription. Values may arrive before this call returns.
    ///
    /// `file` and `line` identify the call in the ``LiveGraph``.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it ([law 5](doc:LawsOfSignals)).
    @inlinable
    @discardableResult
    public func subscribe<O: Observer>(
        _ observer: O,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription
    where O.Value == Value, O.Failure == Failure {
        let subscription = SignalSubscription()
        let sink = ObserverSink(subscription, observer)
        if LiveGraph.isOn {
            start(LiveGraph.track(subscription, file, line, counting: sink), subscription)
        } else {
            start(sink, subscription)
        }
        return subscription
    }
}
