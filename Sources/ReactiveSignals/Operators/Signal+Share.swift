public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// One subscription to this signal for all who subscribe to the result: hot, as long as somebody is there (law 10).
    ///
    /// The first observer starts it, the last one to go disposes it, and the next starts it anew, also after it has ended.
    /// Who comes later gets what is sent from then on; who comes first from inside `subscribe` gets all. All see one order
    /// (law 2).
    ///
    /// Without a policy the source follows its slowest observer: it is paused while any of them is. With one it is not,
    /// and each paused observer has its values kept for it as the policy says.
    @inlinable
    public func share(whilePaused policy: BufferPolicy? = nil) -> Signal {
        let share = Share(self, policy)
        return Signal(start: { sink, subscription in share.subscribe(sink, subscription) })
    }
}

/// What the observers of a shared signal have in common.
@usableFromInline
final class Share<Value: Sendable, Failure: Error>: Sendable {
    /// One run of the source.
    @usableFromInline
    final class Connection: Sendable {
        @usableFromInline
        let broadcast = Confined(Broadcast<Value, Failure>())
        @usableFromInline
        let subscription = SignalSubscription()

        @inlinable
        init() {}
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var connection: Connection?
        @usableFromInline
        var count = 0

        @inlinable
        init() {}
    }

    @usableFromInline
    let source: Signal<Value, Failure>
    @usableFromInline
    let policy: BufferPolicy?
    @usableFromInline
    let state = Lock(State())

    @inlinable
    init(_ source: Signal<Value, Failure>, _ policy: BufferPolicy?) {
        self.source = source
        self.policy = policy
    }

    @inlinable
    func subscribe(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        let (connection, isFirst) = state.withLock { state -> (Connection, Bool) in
            state.count += 1
            if let connection = state.connection { return (connection, false) }
            let connection = Connection()
            state.connection = connection
            state.count = 1
            return (connection, true)
        }
        if policy == nil { subscription.hold(connection.subscription) }
        connection.broadcast.value.add(sink, subscription, policy ?? .unbounded)
        // Weak: an observer does not keep a source that has nothing more to send.
        let (share, link) = (Confined(Weak(self)), Confined(Weak(connection)))
        subscription.onDispose { share.value.object?.leave(link.value.object) }
        if isFirst, !connection.subscription.isDisposed {
            source.start(ShareSink(self, connection), connection.subscription)
        }
    }

    /// One observer has gone; the last one takes the source with it.
    @inlinable
    func leave(_ connection: Connection?) {
        guard let connection else { return }
        let isLast = state.withLock { state in
            guard state.connection === connection else { return false }
            state.count -= 1
            if state.count == 0 { state.connection = nil }
            return state.count == 0
        }
        if isLast { connection.subscription.dispose() }
    }

    /// The source has ended; who comes from now on starts it anew.
    @inlinable
    func finish(_ connection: Connection) {
        state.withLock { state in
            // The caller holds it, so it is not released here.
            if state.connection === connection { state.connection = nil }
        }
        connection.subscription.dispose()
    }
}

/// Where the source of a shared signal sends.
@usableFromInline
final class ShareSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let share: Share<Value, Failure>
    @usableFromInline
    let connection: Share<Value, Failure>.Connection

    @inlinable
    init(_ share: Share<Value, Failure>, _ connection: Share<Value, Failure>.Connection) {
        self.share = share
        self.connection = connection
    }

    @inlinable
    override func receive(_ value: Value) { connection.broadcast.value.send(value) }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        share.finish(connection)
        connection.broadcast.value.send(termination: termination)
    }
}
