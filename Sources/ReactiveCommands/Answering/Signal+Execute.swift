// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

extension Signal {
    /// Executes `command` with each value, and sends the values of the executions as replies.
    ///
    /// The signal completes when the requests have completed and all executions have ended. If the request signal
    /// fails, the reply signal fails immediately.
    ///
    /// A pause of the signal pauses the requests and the work; see law 11 (Docs/Laws.md). When the signal is disposed
    /// or the requests fail, `whenDisposed` applies to the executions.
    ///
    /// The work is called on the thread that delivers the request. If the request had to wait, the work is called on
    /// the thread that ends another execution. If the work is a function and no earlier request waits, the reply is
    /// sent before the next request is received.
    ///
    /// - Parameters:
    ///   - command: The command that executes each request.
    ///   - order: The order of the replies. With `.asRequested`, replies wait for those of earlier requests. When 64
    ///     replies of an execution wait, that execution is paused.
    ///   - limit: The maximum number of requests that have not been answered completely. At this number the requests
    ///     are paused, until at most half of them are left. A limit below 1 counts as 1.
    ///   - whenFull: The policy for a request that the command would reject as busy or full.
    ///   - whenDisposed: The policy for the executions when the signal is disposed or the requests fail. By default
    ///     they are cancelled.
    ///   - onError: Returns the reply for a rejection, a cancellation or a failure of the work. None of these
    ///     terminates the signal.
    @inlinable
    public func execute<Output: Sendable, Break: Error>(
        _ command: Command<Value, Output, Break>,
        order: ReplyOrder = .asRequested,
        limit: Int = 64,
        whenFull: RequestPolicy = .wait,
        whenDisposed: DisposalPolicy = .cancel,
        onError: @escaping @Sendable (_ error: CommandError<Break>, _ request: Value) -> Output
    ) -> Signal<Output, Failure> {
        execute(
            order: order,
            limit: limit,
            whenFull: whenFull,
            whenDisposed: whenDisposed,
            choosing: { _ in command },
            onError: onError
        )
    }

    /// Executes the command that `command` returns for each value. Use it if requests of several kinds share one signal
    /// of replies.
    ///
    /// `command` is called once for each request. Apart from that, it behaves like
    /// ``execute(_:order:limit:whenFull:whenDisposed:onError:)``.
    @inlinable
    public func execute<Output: Sendable, Break: Error>(
        order: ReplyOrder = .asRequested,
        limit: Int = 64,
        whenFull: RequestPolicy = .wait,
        whenDisposed: DisposalPolicy = .cancel,
        choosing command: @escaping @Sendable (_ request: Value) -> Command<Value, Output, Break>,
        onError: @escaping @Sendable (_ error: CommandError<Break>, _ request: Value) -> Output
    ) -> Signal<Output, Failure> {
        let settings = ReplySettings(order, limit, whenFull, whenDisposed)
        return Signal<Output, Failure>.starting { sink, subscription in
            guard !subscription.isDisposed else { return }
            let replies = Replies(Junction(sink, subscription), settings, command, onError)
            relay(in: replies.outer, { replies.receive($0) }, { replies.outerEnded($0) })
        }
    }
}
