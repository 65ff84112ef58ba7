// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals

extension Signal {
    /// Executes `command` with each value, and sends the values of the executions as replies.
    ///
    /// The signal completes after the requests and all executions have completed. If the requests fail, it fails at
    /// once.
    ///
    /// A pause of the signal pauses the requests and the work; see law 11 (Docs/Laws.md). Disposing it, or a failure of
    /// the requests, applies `whenDisposed` to its executions.
    ///
    /// If the work is a function, a request is answered before the next one is read, unless an earlier one still waits.
    /// The work is called on the thread that delivers the request, or, if the request waited, on the thread that ends
    /// another execution.
    ///
    /// - Parameters:
    ///   - command: The command that executes each request.
    ///   - order: The order of the replies. With `.asRequested`, replies that arrive before their turn wait; at 64 of
    ///     them their execution is paused until its turn.
    ///   - limit: How many executions may run or wait for their turn to reply. At the limit the requests are paused,
    ///     until at most half of them are left. Less than one counts as one.
    ///   - whenFull: What to do with a request that the command does not admit.
    ///   - whenDisposed: What happens to the executions when the signal is disposed or the requests fail. By default
    ///     they are cancelled.
    ///   - onError: Makes a reply of a rejection, a cancellation or a failure of the work, none of which ends the
    ///     signal.
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

    /// Executes the command that `command` returns for each value: for requests of several kinds whose replies share
    /// one signal.
    ///
    /// `command` is called once for each request. Otherwise it is like
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
