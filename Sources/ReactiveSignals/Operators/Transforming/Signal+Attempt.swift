public import ReactiveCore

extension Signal {
    /// Sends what `transform` makes of each value; if it throws, fails with that and lets go of the source (law 6).
    @inlinable
    public func attemptMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) throws(Failure) -> New
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            let isOver = Cell(false)
            start(
                RelaySink(
                    { value in
                        // The source may go on for a while after the failure.
                        if isOver.value { return }
                        do throws(Failure) {
                            sink.receive(try transform(value))
                        } catch {
                            isOver.value = true
                            sink.receive(termination: .failed(error))
                        }
                    },
                    { if !isOver.value { sink.receive(termination: $0) } }
                ),
                subscription
            )
        })
    }

    /// Sends each value for which `check` does not throw; if it throws, fails with that.
    @inlinable
    public func attempt(_ check: @escaping @Sendable (Value) throws(Failure) -> Void) -> Signal {
        attemptMap { value throws(Failure) in
            try check(value)
            return value
        }
    }

    /// Makes a signal that calls `body` for each subscription and sends what it returns, or fails with what it throws.
    @inlinable
    public init(trying body: @escaping @Sendable () throws(Failure) -> Value) {
        self.init(start: { sink, subscription in
            do throws(Failure) {
                let value = try body()
                sink.finish(with: CollectionOfOne(value), in: subscription)
            } catch {
                sink.receive(termination: .failed(error))
            }
        })
    }
}
