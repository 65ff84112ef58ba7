public import ReactiveCore

extension Signal {
    /// Lets the source run on during a pause, for as long as there is room for `limit` values; then `policy` says what
    /// happens.
    ///
    /// Without a pause values pass as they come. `.holdBack` pauses the source when `limit` values wait, and lets it go on
    /// when half of them are through. With another policy the source is never paused. Less than one counts as one. The end
    /// waits behind the values (law 11); the source is released at once (law 6).
    @inlinable
    public func buffer(_ limit: Int, whenFull policy: OverflowPolicy = .holdBack) -> Signal {
        let limit = max(1, limit)
        return Signal(start: { [start] sink, subscription in
            // Its own rather than a child: it does not wait with the observer.
            let input = SignalSubscription()
            subscription.onDispose { input.dispose() }
            switch policy {
            case .holdBack:
                subscription.hold(input, passing: .kindOnly)
                let backPressure = BackPressure(input, limit, .byQueue)
                let counted = RelaySink<Value, Failure>(
                    {
                        backPressure.taken()
                        sink.receive($0)
                    },
                    { sink.receive(termination: $0) }
                )
                let serializer = EventSerializer(counted, subscription)
                start(
                    RelaySink(
                        {
                            backPressure.arrived()
                            serializer.send($0)
                        },
                        { if input.end() { serializer.send(termination: $0) } }
                    ),
                    input
                )
            case .dropOldest, .dropNewest:
                let serializer = EventSerializer(
                    sink,
                    subscription,
                    policy == .dropOldest ? .dropOldest(limit) : .dropNewest(limit)
                )
                start(
                    RelaySink({ serializer.send($0) }, { if input.end() { serializer.send(termination: $0) } }),
                    input
                )
            }
        })
    }
}
