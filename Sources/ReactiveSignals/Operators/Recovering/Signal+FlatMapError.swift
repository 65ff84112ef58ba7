public import ReactiveCore

extension Signal {
    /// Goes on with the signal that `handler` makes of a failure; `catch` elsewhere.
    ///
    /// Values and completion pass as they are. The failed source has been released when `handler` is called (law 6). The
    /// result may fail in another way, or with `Never` not at all.
    @inlinable
    public func flatMapError<New: Error>(
        _ handler: @escaping @Sendable (Failure) -> Signal<Value, New>
    ) -> Signal<Value, New> {
        Signal<Value, New>(start: { [start] sink, subscription in
            // Values before a failure are not overtaken by it: it does not end this.
            let input = subscription.makeChild(passing: .inOrder)
            start(
                RelaySink(
                    { sink.receive($0) },
                    { termination in
                        guard input.end() else { return }
                        switch termination {
                        case .completed: sink.receive(termination: .completed)
                        case .failed(let failure):
                            if !subscription.isDisposed { handler(failure).start(sink, subscription) }
                        }
                    }
                ),
                input
            )
        })
    }
}
