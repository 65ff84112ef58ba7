public import ReactiveCore

/// A stream of values over time that may end, by completing or by failing, as a value that says how to subscribe to it.
///
/// A cold signal does its work anew for each subscription; a hot one (``Subject``, ``Property``, ``share(whilePaused:)``)
/// sends to whoever is there (law 10). Any thread may subscribe. Values come on whatever thread the source sends on, one
/// at a time (laws 2 and 7), until the end or until the subscription is disposed (law 1), and not while it is paused
/// (law 11). Nothing happens before the first `subscribe`.
public struct Signal<Value: Sendable, Failure: Error>: SignalSource, Sendable {
    @usableFromInline
    let start: @Sendable (Sink<Value, Failure>, SignalSubscription) -> Void
    /// What it comes from, where who subscribes can do with less when it knows: a ``Scalar``, or what another module has said.
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

    /// What it sends, where that is known without subscribing.
    @inlinable
    var scalar: Scalar<Value, Failure>? { origin as? Scalar<Value, Failure> }

    /// The same for the package's other modules. A function: of two initialisers with a closure the wrong one would be taken.
    @inlinable
    package static func starting(
        from origin: (any AnyObject & Sendable)? = nil,
        _ start: @escaping @Sendable (Sink<Value, Failure>, SignalSubscription) -> Void
    ) -> Signal {
        Signal(from: origin, start: start)
    }

    /// Makes a signal that calls `body` for each subscription, with an emitter to send by.
    ///
    /// The emitter may be kept, and used from any thread: it puts what is sent in one order (laws 2 and 4), and keeps
    /// values back while the subscription is paused, as `policy` says (law 11). The subscription tells `body` when to stop
    /// and when to wait: see ``SignalSubscription/onDispose(_:)`` and ``SignalSubscription/onFlowChange(_:)``. It ends when
    /// the emitter has been given the end; both may be handed to another source's ``subscribe(_:in:)``.
    @inlinable
    public init(
        whilePaused policy: BufferPolicy = .unbounded,
        _ body: @escaping @Sendable (_ emitter: Emitter<Value, Failure>, _ subscription: SignalSubscription) -> Void
    ) {
        self.init(start: { sink, subscription in
            // As an operator's input it may be over before it begins.
            guard !subscription.isDisposed else { return }
            // The source's own: it ends with the source, also where the end has to wait for values held back (law 6), and
            // may be handed on together with the emitter.
            // In order: the closure may make something else of a failure than a failure.
            let input = subscription.makeChild(passing: .inOrder)
            body(Emitter(EventSerializer(sink, subscription, policy), input), input)
        })
    }

    /// Makes a signal of anything that can be observed, so that operators can be used on it.
    @inlinable
    public init(_ source: some SignalSource<Value, Failure>) {
        if let signal = source as? Signal<Value, Failure> {
            self = signal
        } else {
            self.init { emitter, subscription in source.subscribe(emitter, in: subscription) }
        }
    }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    ///
    /// When the signal ends the subscription is disposed first and then the observer told (law 6). Values may come before
    /// this returns. With a subscription that is disposed already nothing happens.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        let subscription = SignalSubscription.following(subscription)
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn { LiveGraph.found(subscription) }
        start(ObserverSink(subscription, observer), subscription)
    }

    /// Starts sending to `observer`. Letting go of the result does not end it (law 5). `file` and `line` are for the ``LiveGraph``.
    @inlinable
    @discardableResult
    public func subscribe<O: Observer>(
        _ observer: O,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription
    where O.Value == Value, O.Failure == Failure {
        let subscription = SignalSubscription()
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        start(ObserverSink(subscription, observer), subscription)
        return subscription
    }

    /// Starts sending to closures. Letting go of the result does not end it (law 5).
    ///
    /// The closures are called on whatever thread the source sends on, one at a time; the subscription has been disposed
    /// when `onTermination` is called (law 6), and neither is called after `dispose()` has returned on that thread (law 1).
    /// `file` and `line` are for the ``LiveGraph``.
    @inlinable
    @discardableResult
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void = { _ in },
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void = { _ in },
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        let subscription = SignalSubscription()
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        start(ClosureSink(subscription, onValue, onTermination), subscription)
        return subscription
    }

    /// Starts sending to closures, in a subscription that the caller has made: it can be paused before it begins, and
    /// disposed from inside the first value.
    @inlinable
    public func subscribe(
        in subscription: SignalSubscription,
        onValue: @escaping @Sendable (Value) -> Void = { _ in },
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void = { _ in },
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        start(ClosureSink(subscription, onValue, onTermination), subscription)
    }
}
