// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Creates a signal from each value with `transform`, and sends the events of these inner signals.
    ///
    /// The result completes when the source and all inner signals have completed, and fails immediately when any of
    /// them fails. With `.race`, it terminates with the inner signal that sends or terminates first. The stack does not
    /// grow with the number of signals. A pause pauses the source and the inner signals.
    ///
    /// Inner signals that cannot fail adopt the failure type of this signal. If only the inner signals can fail, use
    /// ``setFailureType(to:)`` before `flatMap`.
    ///
    /// With `.merge` and with a limit, the source resumes after the inner signals have sent the values that waited in
    /// them. So a pause does not change the order of values that one source sends through several inner signals, such
    /// as those of ``window(count:whilePaused:)``.
    ///
    /// With a limit, the source is paused while `limit` inner signals are active. Values that it still sends are
    /// queued, and `transform` is called for them when a slot is free.
    ///
    /// With `.latest`, `.first` and a limit, an inner signal is active until all of its teardowns have returned, even
    /// if another thread runs them. With `.latest` and a limit, the next one then starts on the thread whose teardown
    /// returns last ([law 7](doc:LawsOfSignals)).
    ///
    /// A failure overtakes values that wait for a slot, and values that the source buffers only because of the limit
    /// ([law 9](doc:LawsOfSignals)). During a pause, a failure releases all other signals immediately. Values that they
    /// have sent are sent before the failure. Values that their sources buffer are dropped.
    ///
    /// - Parameters:
    ///   - strategy: Which inner signals to subscribe to while others are active. The default subscribes to all.
    ///   - transform: Returns the inner signal for a value. It is called on the source's thread. For a value that was
    ///     queued, it is called on the thread on which another inner signal completes, or whose teardown returns last.
    @inlinable
    public func flatMap<New: Sendable>(
        _ strategy: FlattenStrategy = .merge,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        switch strategy.kind {
        case .concurrent(.max): mergeMap(transform)
        case .concurrent(let limit): limitedFlatMap(limit, transform)
        case .latest: latestFlatMap(transform)
        case .first: firstFlatMap(transform)
        case .race: raceFlatMap(transform)
        }
    }

    // Without it, the message is that `New` could not be inferred. `flatMap` is overloaded anyway (Decision 0035).
    /// Does not compile: the closure must return a signal.
    @_disfavoredOverload
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "the closure must return a signal that fails as this one or never: use map for a value"
    )
    public func flatMap<New: Sendable>(
        _ strategy: FlattenStrategy = .merge,
        _ transform: @escaping @Sendable (Value) -> New
    ) -> Signal<New, Failure> {
        fatalError("unavailable")
    }

    @inlinable
    func mergeMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let merge = Merge(Junction(sink, subscription))
            // Resumed last: a value that waits in an inner signal precedes those that the source buffers.
            let outer = merge.junction.inputs.makeChild(passing: .asItIs, resumesLast: true)
            relay(
                in: outer,
                { if !outer.isDisposed { merge.start(transform($0)) } },
                { merge.inputEnded(outer, $0) }
            )
        })
    }

    @inlinable
    func limitedFlatMap<New: Sendable>(
        _ limit: Int,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let merge = Merge(Junction(sink, subscription))
            // Resumed last: a value that waits in an inner signal precedes those that the source buffers.
            let outer = merge.junction.inputs.makeChild(passing: .asItIs, resumesLast: true)
            let limited = LimitedFlatMap(merge, outer, limit, transform)
            relay(in: outer, { limited.receive($0) }, { limited.outerEnded($0) })
        })
    }

    @inlinable
    func latestFlatMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let latest = LatestFlatMap(Junction(sink, subscription))
            let outer = latest.junction.inputs.makeChild()
            relay(
                in: outer,
                { value in if !outer.isDisposed { latest.change { transform(value) } } },
                { termination in if outer.end() { latest.outerEnded(termination) } }
            )
        })
    }

    @inlinable
    func firstFlatMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let merge = Merge(Junction(sink, subscription))
            let outer = merge.junction.inputs.makeChild()
            let isBusy = Switch()
            relay(
                in: outer,
                { value in
                    guard !outer.isDisposed, !isBusy.isOn.load(ordering: .acquiring) else { return }
                    isBusy.isOn.store(true, ordering: .relaxed)
                    merge.expectOneMore()
                    let input = merge.junction.inputs.makeChild()
                    merge.join(transform(value), in: input) { termination in
                        merge.inputEnded(input, termination)
                        // Another thread may still be running a teardown.
                        input.whenTornDown { isBusy.isOn.store(false, ordering: .releasing) }
                    }
                },
                { merge.inputEnded(outer, $0) }
            )
        })
    }
}

extension Signal {
    @inlinable
    func raceFlatMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let race = Race(Junction<New, Failure>(sink, subscription))
            let outer = race.junction.inputs.makeChild()
            // The winner disposes the source too.
            race.enter(outer)
            relay(
                in: outer,
                { value in if !outer.isDisposed { race.join(transform(value)) } },
                { termination in if outer.end() { race.outerEnded(termination) } }
            )
        })
    }

    /// Sends the events of the signals that this signal sends as values. It is like ``flatMap(_:_:)`` without a
    /// transformation.
    @inlinable
    public func flatten<New: Sendable>(_ strategy: FlattenStrategy = .merge) -> Signal<New, Failure>
    where Value == Signal<New, Failure> {
        flatMap(strategy) { $0 }
    }
}
