// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends the values of all `signals`, one signal after another.
    ///
    /// Subscribes to each signal when the previous one has completed and all of its teardowns have returned. The
    /// sequence may be endless, and the stack does not grow with it ([law 8](doc:LawsOfSignals)). A failure is passed
    /// on immediately. An empty sequence completes immediately. Values that a hot signal sends before it is subscribed
    /// to are lost. A pause pauses the active signal.
    ///
    /// Each subscription iterates over the sequence again. The first step runs on the subscribing thread, each later
    /// one on the thread on which the previous signal completes. That thread also subscribes to the next signal, unless
    /// another thread is still running a teardown. In that case, the thread whose teardown returns last subscribes
    /// ([law 7](doc:LawsOfSignals)).
    @inlinable
    public static func concat<S: Sequence & Sendable>(_ signals: S) -> Signal where S.Element == Signal {
        Signal(start: { sink, subscription in
            let rest = Cell(signals.makeIterator())
            run(sink, subscription) { rest.value.next() }
        })
    }

    /// Sends the values of all `signals`, one signal after another. With no signals, the result completes immediately.
    @inlinable
    public static func concat(_ signals: Signal...) -> Signal { chain(signals) }

    /// Sends the values of this signal and, when it has completed, those of `next`.
    @inlinable
    public func concat(_ next: Signal) -> Signal { .chain([self, next]) }

    /// Sends this signal's values and, when it has completed, `value`. Then completes.
    @inlinable
    public func concat(value: Value) -> Signal { .chain([self, .just(value)]) }

    /// Sends the values of `first` and, when it has completed, those of this signal.
    @inlinable
    public func prefix(_ first: Signal) -> Signal { .chain([first, self]) }

    /// Sends `value`, then the values of this signal.
    @inlinable
    public func prefix(value: Value) -> Signal { .chain([.just(value), self]) }

    /// Drops this signal's values and, when it has completed, sends those of `replacement`. A failure is passed on
    /// immediately.
    @inlinable
    public func then<New: Sendable>(_ replacement: Signal<New, Failure>) -> Signal<New, Failure> {
        Signal<New, Failure>.chain([ignoreValues(New.self), replacement])
    }

    /// Concatenates `signals`. The list drops its reference to a signal before it subscribes to it. Otherwise the
    /// signal's subscription would retain the signal.
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
        let succession = Succession<Value, Failure>(sink, subscription, .asItIs) { termination in
            guard case .completed = termination, let signal = next() else { return nil }
            return .start(signal)
        }
        guard let first = next() else { return sink.receive(termination: .completed) }
        succession.start(first)
    }
}
