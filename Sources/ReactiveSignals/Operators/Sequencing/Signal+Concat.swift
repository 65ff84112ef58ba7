public import ReactiveCore

extension Signal {
    /// Sends what the first of `signals` sends, when that has completed what the next one does, and so on.
    ///
    /// Each is subscribed to when the one before has completed and been released; the sequence may be endless, and the stack
    /// does not grow with it (law 8). A failure ends it at once. None at all: completes at once. A hot signal has sent to
    /// nobody before its turn.
    @inlinable
    public static func concat<S: Sequence & Sendable>(_ signals: S) -> Signal where S.Element == Signal {
        Signal(start: { sink, subscription in
            let rest = Cell(signals.makeIterator())
            run(sink, subscription) { rest.value.next() }
        })
    }

    /// Sends what the first of `signals` sends, when that has completed what the next one does, and so on.
    @inlinable
    public static func concat(_ signals: Signal...) -> Signal { chain(signals) }

    /// Sends what this signal sends, and after it has completed what `next` does.
    @inlinable
    public func concat(_ next: Signal) -> Signal { .chain([self, next]) }

    /// Sends `value` after this signal has completed, and completes.
    @inlinable
    public func concat(value: Value) -> Signal { .chain([self, .just(value)]) }

    /// Sends what `first` sends, and after it has completed what this signal does.
    @inlinable
    public func prefix(_ first: Signal) -> Signal { .chain([first, self]) }

    /// Sends `value` first, and then what this signal sends.
    @inlinable
    public func prefix(value: Value) -> Signal { .chain([.just(value), self]) }

    /// Drops this signal's values; when it has completed, sends what `replacement` sends. A failure ends it at once.
    @inlinable
    public func then<New: Sendable>(_ replacement: Signal<New, Failure>) -> Signal<New, Failure> {
        Signal<New, Failure>.chain([ignoreValues(New.self), replacement])
    }

    /// Concatenates a few; each is let go of when it is subscribed to, so that none is kept by the subscription to itself.
    @inlinable
    static func chain(_ signals: [Signal]) -> Signal {
        Signal(start: { sink, subscription in
            let rest = Cell(Array(signals.reversed()))
            run(sink, subscription) { rest.value.popLast() }
        })
    }

    @inlinable
    static func run(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ next: @escaping () -> Signal?
    ) {
        let succession = Succession<Value, Failure, Failure>(sink, subscription, .asItIs) { termination in
            guard case .completed = termination, let signal = next() else { return .end(termination) }
            return .start(signal)
        }
        guard let first = next() else { return sink.receive(termination: .completed) }
        succession.start(first)
    }
}
