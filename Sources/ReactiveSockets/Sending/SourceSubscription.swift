import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The subscription of a `send(from:)` to its source, with how it went, and who wants to know.
///
/// The connection holds this, not the writer: it is not to keep what keeps the connection.
typealias SourceSubscription = SubscriptionHolding<ConnectionContext, SourceOutcome>

/// How a `send(from:)` went, and who wants to know. It belongs to the connection's loop.
struct SourceOutcome {
    /// A word: there is one for each connection that is sent a signal.
    fileprivate enum State {
        case underWay
        /// Nearly always nobody or one wants to know, and this one to the end.
        case observer(Sink<Never, SocketError>)
        indirect case observers([Observation])
        case completed
        indirect case failed(SocketError)
    }

    fileprivate struct Observation {
        let sink: Sink<Never, SocketError>
        /// By what they may lose interest before the end.
        let subscription: SignalSubscription?
    }

    fileprivate var state = State.underWay

    /// Whoever wants to know.
    fileprivate var observations: [Observation] {
        switch state {
        case .observer(let sink): [Observation(sink: sink, subscription: nil)]
        case .observers(let all): all
        case .underWay, .completed, .failed: []
        }
    }
}

extension SourceSubscription {
    private var loop: any LoopScheduler { home.loop }

    /// A signal of the end.
    static func signal(_ end: UnsafeTransfer<SourceSubscription>) -> Signal<Never, SocketError> {
        .starting(from: end.value) { sink, subscription in
            if subscription.isDisposed { return }
            let loop = end.value.loop
            if let error = loop.disposedError { return sink.receive(termination: .failed(error)) }
            // Not `runOrExecute`: nearly always it is here, and needs no closure.
            if loop.isCurrent {
                end.value.observe(sink, subscription)
            } else {
                let sink = UnsafeTransfer(sink)
                loop.execute { end.value.observe(sink.value, subscription) }
            }
            subscription.onDispose { end.value.forget() }
        }
    }

    /// Tells `sink` of the end, now or when it comes; without a subscription nobody takes that back. On the loop.
    func observe(_ sink: Sink<Never, SocketError>, _ subscription: SignalSubscription? = nil) {
        if subscription?.isDisposed == true { return }
        switch content.state {
        case .underWay where subscription == nil: content.state = .observer(sink)
        case .underWay, .observer, .observers:
            let observation = SourceOutcome.Observation(sink: sink, subscription: subscription)
            content.state = .observers(content.observations + [observation])
        case .completed: sink.receive(termination: .completed)
        case .failed(let error): sink.receive(termination: .failed(error))
        }
    }

    /// Lets go of whoever does not observe any more. Any thread.
    private func forget() {
        let end = UnsafeTransfer(self)
        loop.runOrExecute { end.value.dropDisposed() }
    }

    private func dropDisposed() {
        // They may go only when everything is in order: what they hold may ask for this again while it goes.
        let last = content.state
        if case .observers(let all) = last {
            let left = all.filter { $0.subscription?.isDisposed != true }
            content.state = left.isEmpty ? .underWay : .observers(left)
        }
        withExtendedLifetime(last) {}
    }

    /// Tells everybody, once.
    func settle(_ termination: Termination<SocketError>) {
        let last = content
        switch last.state {
        case .completed, .failed: return
        case .underWay, .observer, .observers: break
        }
        switch termination {
        case .completed: content.state = .completed
        case .failed(let error): content.state = .failed(error)
        }
        if case .observer(let sink) = last.state { return sink.receive(termination: termination) }
        for observation in last.observations { observation.sink.receive(termination: termination) }
    }

    /// The connection has ended before the source has.
    func fail(_ error: SocketError) {
        dispose()
        settle(.failed(error))
    }
}
