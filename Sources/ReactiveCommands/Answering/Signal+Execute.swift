public import ReactiveCore
public import ReactiveSignals

extension Signal {
    /// Executes `command` with each value, and sends what the executions send.
    ///
    /// An error — a rejection, a cancellation, a failure of the work — is a reply that `onError` makes; the signal goes on. It
    /// completes when the requests have and all executions too; it fails at once where the requests fail (law 6). At most
    /// `limit` executions are under way, or wait for their turn to be sent, less than one counting as one: then the requests
    /// are paused, and go on at half of that. A pause holds requests and work back (law 11). What is disposed, or fails,
    /// cancels the executions under way unless `.finish` is said. What a work sends before its turn is kept; at 64 values it is
    /// held back until then.
    ///
    /// A request whose work is a function is answered before the next one is looked at, unless an earlier one is not yet. The
    /// work is called on the thread that the request comes on; where executions wait, on the one that ends another.
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

    /// The same with a command for each value: requests of several kinds, whose replies go one way.
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
