public import ReactiveCore
public import ReactiveSignals

extension Signal {
    /// Executes `command` with each value, and sends what the executions send.
    ///
    /// An error (a rejection, a cancellation, a failure of the work) does not end the signal: `onError` turns it into a
    /// reply. The signal completes after the requests and all executions have completed. If the requests fail, it fails
    /// at once (law 6).
    ///
    /// At most `limit` executions run or wait for their turn to reply; a limit below one counts as one. At the limit
    /// the requests are paused, and they resume at half of it. A pause of the signal pauses the requests and the work
    /// (law 11). A disposal or a failure cancels the executions that run, except under `.finish`. Replies that come
    /// before their turn are kept; at 64 of them their execution is paused until its turn.
    ///
    /// If the work is a function, a request is answered before the next one is read, unless an earlier one still waits.
    /// The work is called on the thread that delivers the request, or, if the request waited, on the thread that ends
    /// another execution.
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
    /// one signal. Otherwise it is like the form with one command.
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
