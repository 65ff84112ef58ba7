// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Replaces a failure with the signal that `handler` returns for it. RxSwift and Combine call it `catch`.
    ///
    /// Values and completion pass unchanged. The failed source is released before `handler` is called
    /// ([law 6](doc:LawsOfSignals)). `handler` is called on the thread of the failure. The new signal starts on that
    /// thread too, unless another thread is still running a teardown of the source. In that case, it starts on the
    /// thread whose teardown returns last ([law 7](doc:LawsOfSignals)).
    ///
    /// The new signal may have another failure type, or `Never`. Its own failure is passed on and not handled again. If
    /// nothing states the failure type, as with `{ _ in .just(0) }`, it is `Never`.
    ///
    /// During a pause, a failure waits behind the values that the source buffers.
    @inlinable
    public func flatMapError<New: Error>(
        _ handler: @escaping @Sendable (Failure) -> Signal<Value, New>
    ) -> Signal<Value, New> {
        replaceFailure(handler)
    }

    /// Replaces a failure with a signal that cannot fail.
    // Chosen if nothing states the failure type of the replacement.
    @_documentation(visibility: internal)
    @inlinable
    public func flatMapError(
        _ handler: @escaping @Sendable (Failure) -> Signal<Value, Never>
    ) -> Signal<Value, Never> {
        replaceFailure(handler)
    }

    @inlinable
    func replaceFailure<New: Error>(
        _ handler: @escaping @Sendable (Failure) -> Signal<Value, New>
    ) -> Signal<Value, New> {
        Signal<Value, New>(start: { sink, subscription in
            // `inOrder`, because a signal replaces the failure and must not overtake the values before it.
            let input = subscription.makeChild(passing: .inOrder)
            relay(
                in: input,
                { sink.receive($0) },
                { termination in
                    guard input.end() else { return }
                    switch termination {
                    case .completed: sink.receive(termination: .completed)
                    case .failed(let failure):
                        if subscription.isDisposed { return }
                        let replacement = handler(failure)
                        if input.isTornDown { return replacement.start(sink, subscription) }
                        let outlet = UnsafeTransfer(sink)
                        // Another thread is still running a teardown.
                        input.whenTornDown {
                            if subscription.isDisposed { return }
                            subscription.restoring { replacement.start(outlet.value, subscription) }
                        }
                    }
                }
            )
        })
    }
}
