// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends the result of `transform` for each value. If `transform` throws, fails with that error and releases the
    /// source ([law 6](doc:LawsOfSignals)).
    @inlinable
    public func attemptMap<New: Sendable>(
        _ transform: @escaping @Sendable (Value) throws(Failure) -> New
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let isOver = Cell(false)
            relay(
                in: subscription,
                { value in
                    // The source may still send after the failure.
                    if isOver.value { return }
                    do throws(Failure) {
                        sink.receive(try transform(value))
                    } catch {
                        isOver.value = true
                        sink.receive(termination: .failed(error))
                    }
                },
                { if !isOver.value { sink.receive(termination: $0) } }
            )
        })
    }

    /// Sends each value for which `check` does not throw. If `check` throws, fails with that error and releases the
    /// source ([law 6](doc:LawsOfSignals)).
    @inlinable
    public func attempt(_ check: @escaping @Sendable (Value) throws(Failure) -> Void) -> Signal {
        attemptMap { value throws(Failure) in
            try check(value)
            return value
        }
    }

    /// Creates a signal that calls `body` for each subscription, on the subscribing thread.
    ///
    /// It sends the result and completes, or fails with the error that `body` throws. `body` is called even if the
    /// subscription is paused. The result then waits for the resume, and is sent on the resuming thread
    /// ([law 11](doc:LawsOfSignals)).
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
