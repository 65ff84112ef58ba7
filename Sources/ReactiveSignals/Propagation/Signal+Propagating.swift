// SPDX-License-Identifier: MIT

extension Signal {
    /// Captures the current values of `locals` when the signal is subscribed to, and restores them in the whole
    /// subscription: `requests.debounce(.seconds(1), on: loop).propagating(ServiceContext.$current)`.
    ///
    /// Without this operator, a closure sees the values of the thread that happens to call it. With it, these closures
    /// see the captured values, on every thread:
    ///
    /// - The closures of all operators before this one, of their inner signals, and of the work of a command that they
    ///   `apply`. This includes jobs and timers of a scheduler, later attempts of ``retry(upTo:)``, and values that are
    ///   delivered after a pause.
    /// - Teardowns and flow changes of these operators.
    /// - The events that are passed on, so also the subscriber's closures.
    ///
    /// Put it last. An operator after it that uses a scheduler, such as ``observe(on:limit:whenFull:)``, sends outside
    /// the captured values. ``subscribe(onMain:onTermination:)`` directly after it keeps them.
    ///
    /// Several task-locals can be captured by one call or by several. An inner signal, for example of
    /// ``flatMap(_:_:)``, may propagate other values. If the outer signal propagates the same task-local, only the inner
    /// signal sees its own value. Otherwise the operators after it see that value too, when it sends.
    ///
    /// The sender's values do not matter: an observer of a ``Subject`` sees those of its own subscription. A shared
    /// source, such as that of ``share(whilePaused:)``, keeps the values of the subscriber that connected it. A
    /// ``Connectable`` keeps none, unless its source propagates them. A signal without this operator costs nothing more.
    ///
    /// - Parameter locals: The task-locals, for example `Request.$id`.
    /// - Returns: The same signal, on the same threads.
    public func propagating<each Local: Sendable>(_ locals: repeat TaskLocal<each Local>) -> Signal {
        // A pack of task-locals cannot be captured, but a closure that uses it can.
        let capture: @Sendable () -> PropagatedContext = { PropagatedContext(capturing: repeat each locals) }
        return propagating(capture)
    }

    /// Restores the values that `capture` returns at subscription.
    func propagating(_ capture: @escaping @Sendable () -> PropagatedContext) -> Signal {
        let again = Propagation<Value, Failure> { $0.propagating(capture) }
        return Signal(from: again) { [start] sink, subscription in
            Signal.start(start, sink, subscription, in: capture())
        }
    }

    /// Creates a signal that calls `make` for each subscription and subscribes to the result, in `context`.
    @usableFromInline
    package static func carrying(_ context: PropagatedContext, _ make: @escaping @Sendable () -> Signal) -> Signal {
        Signal(start: { sink, subscription in
            start({ make().start($0, $1) }, sink, subscription, in: context)
        })
    }

    private static func start(
        _ start: (Sink<Value, Failure>, SignalSubscription) -> Void,
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        in own: PropagatedContext
    ) {
        let outer = subscription.context
        let context = own.over(outer)
        let input = subscription.makeChild(passing: .asItIs, in: context)
        guard !input.isDisposed else { return }
        // Operators after this one belong to the outer subscription, whose values win there.
        let next = ContextSink(sink, outer?.over(own) ?? own)
        let relay = RelaySink<Value, Failure>(
            { next.receive($0) },
            { if input.end() { next.receive(termination: $0) } }
        )
        context.restore { start(relay, input) }
    }
}

/// The origin of a signal that propagates values: applies the same operator to another signal.
final class Propagation<Value: Sendable, Failure: Error>: Sendable {
    let apply: @Sendable (Signal<Value, Failure>) -> Signal<Value, Failure>

    init(_ apply: @escaping @Sendable (Signal<Value, Failure>) -> Signal<Value, Failure>) { self.apply = apply }
}
